/**
 * Pictures of all pages, wide and narrow, light and dark. They are made anew each time and left in the folder
 * TREEOS_PICTURES, to be looked at. Fonts and their smoothing differ from machine to machine, so pixels are
 * not compared with kept ones. What is compared holds anywhere: nothing is wider than the screen or cut by
 * it, both schemes lay out the same boxes, and none leaves the ground of the other.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { moments, plantScene, summon } from '@treeos/client'
import harmony from '@treeos/harmony'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { until } from '../../support/life.ts'
import { PortalWorld } from '../../support/portal.ts'

const FOLDER = process.env.TREEOS_PICTURES
const WIDTHS = [1440, 390] as const
const SCHEMES = ['light', 'dark'] as const
const CROWD = 50
/** Height of the screen. */
const SCREEN = 900

/** What a picture shows, as far as it is the same on every machine. */
interface Shown {
  /** px that the page is wider than the screen */
  readonly tooWide: number
  /** what one presses or reads, and that the edge of the screen or of its box cuts */
  readonly cut: readonly string[]
  /** height of the page */
  readonly height: number
  /** colour behind everything */
  readonly ground: string
  readonly headings: readonly string[]
}

/** Runs in the page. What scrolls by itself, such as a table, may be wider than its box. */
const LOOK = `(() => {
  const scrolls = (element) => {
    for (let up = element.parentElement; up !== null; up = up.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(up).overflowX) && up !== document.documentElement) return true
    return false
  }
  // A box that hides what leaves it cuts what stands in it, unless its text ends in dots.
  const isHidden = (element) => {
    const { right } = element.getBoundingClientRect()
    for (let up = element.parentElement; up !== null && up !== document.body; up = up.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(up)
      if (textOverflow === 'ellipsis' || ['auto', 'scroll'].includes(overflowX)) return false
      if (['hidden', 'clip'].includes(overflowX) && right > up.getBoundingClientRect().right + 1) return true
    }
    return false
  }
  const visible = (selector) => [...document.querySelectorAll(selector)]
    .filter((one) => one.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }))
  const seen = visible('h1, h2, button, a[href], input, textarea, select, [role=tab], td, th')
  const cut = seen.filter((one) => {
    const { left, right, width } = one.getBoundingClientRect()
    if (width === 0 || one.closest('.skip, svg, [data-hidden], .map, nav:not([aria-label])') !== null) return false
    return !scrolls(one) && (left < -1 || right > innerWidth + 1)
  })
  cut.push(...visible('main time, main .mantine-Badge-root').filter(isHidden))
  return {
    tooWide: document.documentElement.scrollWidth - innerWidth,
    cut: cut.map((one) => one.tagName + ' ' + (one.textContent ?? '').slice(0, 40)),
    height: document.documentElement.scrollHeight,
    ground: getComputedStyle(document.body).backgroundColor,
    headings: [...document.querySelectorAll('h1')].map((one) => one.textContent ?? ''),
  }
})()`

describe.runIf(hasChromium)('pictures of all pages', () => {
  let at: PortalWorld
  let browser: Browser
  const pages: Record<string, string> = {}
  beforeAll(async () => {
    at = await PortalWorld.start({ extensions: [harmony] })
    browser = await openBrowser()
    for (let i = 0; i < CROWD; i++)
      await at.world.birth({ name: `clerk-${i}`, cognition: 'scripted', script: 'echo', home: '/library' })
    // Without the drum, so that nothing moves between two pictures.
    const scene = harmony.scene.filter(
      (call) =>
        !JSON.stringify(call).includes('ada') && !('operation' in call && call.operation === 'harmony:drum'),
    )
    await plantScene(at.world, { name: 'harmony', scene })
    await summon(at.world, {
      target: 'echo',
      content: 'Is order 4711 on its way? مرحبا 👨‍👩‍👧',
      as: 'operator',
      waitSeconds: 30,
    })
    const { correlation } = await summon(
      { ...at.world, person: 'ada' },
      { target: 'operator', content: 'May I refund 20?', as: 'ada', waitSeconds: null },
    )
    const [moment] = await until(async () => {
      const found = await moments(at.world.db, 'echo', 1)
      return found.length > 0 && found
    })
    Object.assign(pages, {
      space: '/world?at=/library',
      being: '/beings/echo',
      moment: `/beings/echo?n=${moment?.n}`,
      thread: `/threads/${moment?.woke?.thread}`,
      case: `/threads/${moment?.woke?.thread}?of=echo&n=${moment?.n}`,
      flow: '/beings/echo/flow',
      entry: `/inbox?entry=${encodeURIComponent(correlation)}`,
      role: '/roles?role=resident',
      'new-role': '/roles?edit=true',
      account: '/account',
    })
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })

  const settled = async (page: Page) => {
    await page.getByRole('heading').first().waitFor()
    await until(async () => (await page.locator('[aria-busy=true]:visible').count()) === 0, { seconds: 15 })
    await page.evaluate('Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null)))')
    // A map is laid out once its box has a width, and what stands below it moves.
    let height = -1
    await until(async () => {
      const before = height
      await page.waitForTimeout(60)
      height = await page.evaluate('document.documentElement.scrollHeight')
      return height === before
    })
  }

  /**
   * The whole page. A long list draws the rows near the screen alone, so the screen is made as long as the
   * page.
   */
  const shoot = async (page: Page, name: string, width: number) => {
    if (FOLDER === undefined) return
    mkdirSync(FOLDER, { recursive: true })
    await page.setViewportSize({
      width,
      height: await page.evaluate('document.documentElement.scrollHeight'),
    })
    await settled(page)
    await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true })
    await page.setViewportSize({ width, height: SCREEN })
  }

  /** Every page that the navigation leads to, and those that need something of the world. */
  async function lookAtAll(
    being: string,
    scheme: 'light' | 'dark',
    width: number,
  ): Promise<Record<string, Shown>> {
    const context = await browser.newContext({ viewport: { width, height: SCREEN }, colorScheme: scheme })
    const page = await context.newPage()
    const shown: Record<string, Shown> = {}
    const look = async (name: string) => {
      await settled(page)
      shown[name] = (await page.evaluate(LOOK)) as Shown
      await shoot(page, `${being}-${name}-${width}-${scheme}`, width)
    }
    await page.goto(at.origin)
    await look('sign-in')
    await enterBy(page, at, being)
    const linked = await page
      .locator('nav[aria-label=Pages] a[href^="/"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
    const paths = Object.fromEntries(
      linked.map((path) => [path.slice(1).replaceAll('/', '-') || 'start', path]),
    )
    for (const [name, path] of Object.entries({ ...paths, ...(being === 'operator' ? pages : {}) })) {
      await page.goto(`${at.origin}${path}`)
      await look(name)
    }
    await page.keyboard.press('Control+k')
    await page.locator('input[aria-label=Search]:focus').fill('order')
    // Others may not read what the operator said.
    await (being === 'operator'
      ? page.getByRole('button', { name: /order 4711/ }).first()
      : page.getByText('Nothing that you may read holds this')
    ).waitFor()
    await look('search')
    await context.close()
    return shown
  }

  it.each(WIDTHS)(
    'nothing is cut or too wide at %i px, and the schemes differ in colour alone',
    { timeout: 240_000 },
    async (width) => {
      const [light, dark] = [
        await lookAtAll('operator', SCHEMES[0], width),
        await lookAtAll('operator', SCHEMES[1], width),
      ]
      for (const shown of [light, dark])
        for (const [name, { tooWide, cut }] of Object.entries(shown))
          expect({ name, tooWide, cut }).toEqual({ name, tooWide: 0, cut: [] })
      for (const [name, { height, ground, headings }] of Object.entries(light)) {
        const other = dark[name]
        expect(Math.abs(height - (other?.height ?? 0)), `height of ${name}`).toBeLessThan(60) // times and counts may have moved on
        expect([name, headings]).toEqual([name, other?.headings])
        expect([name, ground, other?.ground]).toEqual([name, 'rgb(247, 248, 247)', 'rgb(23, 26, 25)'])
      }
    },
  )

  it('an invited person is offered what it may use alone', { timeout: 120_000 }, async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await enterBy(page, at, 'bob')
    const labels = await page.locator('nav[aria-label=Pages] a').allTextContents()
    expect(labels).toEqual([
      'Start',
      'Inbox',
      'Threads',
      'World',
      'Do',
      'Live',
      'Cost and health',
      'Me',
      'Settings',
    ])
    await context.close()
    if (FOLDER !== undefined) for (const width of WIDTHS) await lookAtAll('bob', 'light', width)
  })
})
