import { summon } from '@treeos/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { until } from '../../support/life.ts'
import { PortalWorld } from '../../support/portal.ts'

const TABS = 8

describe.runIf(hasChromium)('many tabs of one browser', () => {
  let at: PortalWorld
  let browser: Browser
  let context: BrowserContext
  beforeAll(async () => {
    at = await PortalWorld.start()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })
  afterEach(() => context?.close())

  /** Opens tabs on the page of @echo. @returns them, and the pages that hold a stream */
  async function openTabs(prepare: string | null = null) {
    context = await browser.newContext({ viewport: { width: 1000, height: 700 } })
    if (prepare !== null) await context.addInitScript(prepare)
    const streaming: Page[] = []
    const note = (page: Page) => {
      page.on('request', (request) => {
        if (new URL(request.url()).pathname === '/api/live') streaming.push(page)
      })
      page.on('requestfailed', (request) => {
        if (new URL(request.url()).pathname === '/api/live') streaming.splice(streaming.indexOf(page), 1)
      })
    }
    context.on('page', note)
    const first = await context.newPage()
    await enterBy(first, at, 'operator')
    const tabs = [first]
    for (let i = 1; i < TABS; i++) tabs.push(await context.newPage())
    await Promise.all(tabs.map((page) => page.goto(`${at.origin}/beings/echo`, { waitUntil: 'commit' })))
    return { tabs, streaming }
  }
  const speak = (content: string) =>
    summon(at.world, { target: 'echo', content, as: 'operator', waitSeconds: 30 })
  /** The newest moment that a tab lists. */
  const newest = async (page: Page) =>
    Number((await page.getByRole('listitem').first().textContent())?.match(/\d+/)?.[0])

  it('share one stream: all of them show what happens, also after the one that streams was closed', {
    timeout: 90_000,
  }, async () => {
    const { tabs, streaming } = await openTabs()
    const { moment } = await speak('to all')
    for (const page of tabs) await until(async () => (await newest(page)) === moment?.n)
    expect(streaming).toHaveLength(1)
    for (let closed = 0; closed < 2; closed++) {
      const [leader] = streaming
      await leader!.close()
      tabs.splice(tabs.indexOf(leader!), 1)
      streaming.splice(0)
      await until(() => streaming.length === 1)
      const next = await speak(`after ${closed}`)
      for (const page of tabs) await until(async () => (await newest(page)) === next.moment?.n)
    }
    expect(streaming).toHaveLength(1)
  })

  it('control: where each tab streams for itself, the seventh one loads nothing', {
    timeout: 60_000,
  }, async () => {
    const { tabs } = await openTabs(
      "Object.defineProperty(Navigator.prototype, 'locks', { get: undefined }); delete Navigator.prototype.locks",
    )
    const isShown = (page: Page) => page.getByRole('heading', { name: '@echo' }).isVisible()
    await new Promise((done) => setTimeout(done, 5_000))
    const shown = (await Promise.all(tabs.map(isShown))).filter(Boolean)
    expect(shown.length).toBeLessThan(TABS)
  })
})
