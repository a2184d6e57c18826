import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** WCAG 2.2, levels A and AA, and what axe counts as good practice. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Rules that the page breaks, with the elements that break them. The page's policy stops no script that the
 * debugger runs.
 */
export async function violationsOf(page: Page): Promise<string[]> {
  // Badges and menus fade in, and a half faded text has too little contrast.
  await page.evaluate('Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null)))')
  await page.evaluate(AXE)
  const found = (await page.evaluate(
    `axe.run(document, ${JSON.stringify({ runOnly: { type: 'tag', values: TAGS } })})`,
  )) as AxeResults
  expect(found.passes.length).toBeGreaterThan(10) // it looked at something
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}
