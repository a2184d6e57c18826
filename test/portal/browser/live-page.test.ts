import { summon } from '@treeos/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { PortalWorld } from '../../support/portal.ts'

describe.runIf(hasChromium)('the page of what happens now', () => {
  let at: PortalWorld
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    at = await PortalWorld.start()
    browser = await openBrowser()
    await summon(at.world, {
      target: 'echo',
      content: 'Is order 15 shipped?',
      as: 'operator',
      waitSeconds: 30,
    })
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
    page = await context.newPage()
    complaints = complaintsOf(page)
    await enterBy(page, at, 'operator')
    await page.goto(`${at.origin}/live`)
  })
  afterEach(() => context.close())

  it('says who spoke to whom with the words, and what its colours and lines mean', async () => {
    const pair = page.getByRole('link', { name: /@operator → @echo/ })
    await pair.getByText('Is order 15 shipped?').waitFor()
    const legend = page.getByRole('list', { name: 'What the colours mean' })
    expect(await legend.getByRole('listitem').allTextContents()).toEqual([
      'acted',
      'did nothing or was skipped',
      'asked for a yes',
      'failed',
    ])
    await page.getByText(/An arrow leads from who spoke to who heard it/).waitFor()
    expect(complaints).toEqual([])
  })

  it('times are by 24 hours everywhere on it, also where the language has others', async () => {
    await page.getByRole('list', { name: 'Moments' }).locator('time').first().waitFor()
    const texts = await page.locator('main time, main .strip-note').allTextContents()
    expect(texts.length).toBeGreaterThan(5)
    for (const text of texts) expect(text).toMatch(/^\d\d:\d\d(:\d\d)?$/)
  })
})
