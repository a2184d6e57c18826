/** The page in German: by the browser, and back to English by the menu. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { summon } from '@treeos/client'
import harmony from '@treeos/harmony'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violationsOf } from '../../support/axe.ts'
import { complaintsOf, hasChromium, openBrowser } from '../../support/browser.ts'
import { until } from '../../support/life.ts'
import { PASSWORD, PortalWorld } from '../../support/portal.ts'

const CATALOGUE = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../apps/portal/page/src/language/de.json'), 'utf8'),
) as Readonly<Record<string, string>>

/** English texts of the page that German says otherwise, without the names of their forms and contexts. */
const ENGLISH = new Set(
  Object.entries(CATALOGUE)
    .filter(([text, german]) => text !== german && !text.includes('{{') && !text.includes('<'))
    .map(([text]) => text.replace(/_(one|other|verb|state|long|unit|origin)$/, ''))
    .filter((text) => !Object.values(CATALOGUE).includes(text)),
)
/** What one reads or hears of a page. Runs in the page. */
const READ = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const read = []
  while (texts.nextNode()) read.push(texts.currentNode.textContent)
  for (const one of document.querySelectorAll('[aria-label], [placeholder], [title]'))
    for (const name of ['aria-label', 'placeholder', 'title']) read.push(one.getAttribute(name) ?? '')
  return read.map((text) => text.trim())
})()`
/** px that the page is wider than the screen. */
const TOO_WIDE = 'document.documentElement.scrollWidth - innerWidth'

const settled = async (page: Page) => {
  await page.getByRole('heading').first().waitFor()
  await until(async () => (await page.locator('[aria-busy=true]:visible').count()) === 0, { seconds: 15 })
}

describe.runIf(hasChromium)('a browser that prefers German', () => {
  let at: PortalWorld
  let browser: Browser
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    at = await PortalWorld.start({ extensions: [harmony] })
    browser = await openBrowser()
    await summon(at.world, { target: 'operator', content: 'Open?', as: 'operator', waitSeconds: null })
    context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'de-DE' })
    page = await context.newPage()
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })

  it('signs in, and reads nothing of the page in English', { timeout: 120_000 }, async () => {
    const complaints = complaintsOf(page)
    await page.goto(`${at.origin}/welcome#${await at.linkFor('operator')}`)
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.getByRole('button', { name: /^Als @operator anmelden/ }).click()
    await page.getByRole('heading', { name: 'Was das hier ist' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    const english: Record<string, readonly string[]> = {}
    for (const path of ['/', '/inbox', '/roles', '/roles?role=resident']) {
      await page.goto(`${at.origin}${path}`)
      await settled(page)
      const read = (await page.evaluate(READ)) as readonly string[]
      english[path] = read.filter((text) => ENGLISH.has(text))
      expect(read.length).toBeGreaterThan(20)
      expect(await violationsOf(page)).toEqual([])
      expect(await page.evaluate(TOO_WIDE)).toBeLessThanOrEqual(0)
    }
    expect(Object.values(english).flat(), JSON.stringify(english)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('writes numbers and times as German does', async () => {
    await page.goto(`${at.origin}/inbox`)
    await settled(page)
    const whole = await page.locator('time').first().getAttribute('title')
    expect(whole).toMatch(/^\d{2}\.\d{2}\.\d{4}, \d{2}:\d{2}:\d{2}/)
  })

  it('speaks English once that is chosen in the menu, and remembers it', async () => {
    await page.goto(at.origin)
    await page.getByRole('button', { name: 'Konto von @operator' }).click()
    await page.getByRole('menuitem', { name: 'English' }).click()
    await page.getByRole('heading', { name: 'What this is' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    const other = await context.newPage()
    await other.goto(`${at.origin}/roles`)
    await other.getByRole('heading', { name: 'Roles' }).waitFor()
  })
})
