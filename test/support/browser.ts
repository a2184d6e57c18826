import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { PASSWORD, type PortalWorld } from './portal.ts'

/** Debian's. `apt-get install chromium` brings it, in about a minute. */
const CHROMIUM = process.env.TREEOS_CHROMIUM ?? '/usr/bin/chromium'
export const hasChromium = existsSync(CHROMIUM)

/** It runs as root in containers, without a screen, and calls nobody by itself. */
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--lang=en-US', // the page speaks as the browser does, and tests look for its English
]

/** @param args further arguments of the program */
export const openBrowser = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: [...ARGS, ...args] })

/** What a page complained of: errors of its scripts, of its policy, and answers that were not good. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(`error: ${message}`))
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${new URL(response.url()).pathname}`)
  })
  return complaints
}

/** Signs a person in by a new link. */
export async function enterBy(page: Page, at: PortalWorld, being: string): Promise<void> {
  // from another link only the part behind the # would change, and nothing be loaded
  await page.goto('about:blank')
  await page.goto(`${at.origin}/welcome#${await at.linkFor(being)}`)
  await page.locator('input[type=password]').fill(PASSWORD)
  await page.getByRole('button', { name: /Sign in as/ }).click()
  await page.getByRole('heading', { name: 'What this is' }).waitFor()
  await page.goto(`${at.origin}/world`)
  await page.getByRole('heading', { name: 'World' }).waitFor()
}
