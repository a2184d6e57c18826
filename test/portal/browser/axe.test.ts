import { moments, plantScene, summon } from '@treeos/client'
import harmony from '@treeos/harmony'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violationsOf } from '../../support/axe.ts'
import { enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { until } from '../../support/life.ts'
import { PortalWorld } from '../../support/portal.ts'

const CROWD = 50
const ARABIC = 'أين الطلب؟'
const FAMILY = '👨‍👩‍👧'

/** In which direction an element writes. */
const directionOf = (of: Locator): Promise<string> =>
  of.evaluate((one: Styled) => one.ownerDocument.defaultView.getComputedStyle(one).direction)
/** As much of an element as that asks for: tests know no types of browsers. */
interface Styled {
  readonly ownerDocument: {
    readonly defaultView: { getComputedStyle(of: Styled): { readonly direction: string } }
  }
}

describe.runIf(hasChromium)('axe finds nothing wrong', () => {
  let at: PortalWorld
  let browser: Browser
  let paths: string[]
  beforeAll(async () => {
    at = await PortalWorld.start({ extensions: [harmony] })
    browser = await openBrowser()
    for (let i = 0; i < CROWD; i++)
      await at.world.birth({ name: `clerk-${i}`, cognition: 'scripted', script: 'echo', home: '/library' })
    const scene = harmony.scene.filter(
      (call) =>
        !JSON.stringify(call).includes('ada') && !('operation' in call && call.operation === 'harmony:drum'),
    )
    await plantScene(at.world, { name: 'harmony', scene })
    await summon(at.world, { target: 'echo', content: 'hello', as: 'operator', waitSeconds: 30 })
    await summon(at.world, { target: 'operator', content: 'Open?', as: 'operator', waitSeconds: null })
    const [moment] = await until(async () => {
      const found = await moments(at.world.db, 'echo', 1)
      return found.length > 0 && found
    })
    paths = [
      '/world?at=/floor',
      '/world?at=/library',
      '/beings/echo',
      `/beings/echo?n=${moment?.n}`,
      `/threads/${moment?.woke?.thread}`,
      `/threads/${moment?.woke?.thread}?of=echo&n=${moment?.n}`,
      '/beings/echo/flow',
      '/roles?role=resident',
      '/roles?edit=true',
      '/replay?at=3',
      '/inhabit/echo',
      '/account',
      '/terminal',
      '/nowhere',
    ]
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })

  const settled = async (page: Page) => {
    await page.getByRole('heading').first().waitFor()
    await until(async () => (await page.locator('[aria-busy=true]:visible').count()) === 0, { seconds: 15 })
  }
  const inContext = async (
    colorScheme: 'light' | 'dark',
    width: number,
    use: (page: Page, context: BrowserContext) => Promise<void>,
  ) => {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
    await use(await context.newPage(), context)
    await context.close()
  }

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('on any page, %s, %i px wide', { timeout: 180_000 }, async (scheme, width) => {
    await inContext(scheme, width, async (page) => {
      const found: Record<string, string[]> = {}
      const check = async (name: string) => {
        await settled(page)
        const violations = await violationsOf(page)
        if (violations.length > 0) found[name] = violations
      }
      await page.goto(at.origin)
      await check('sign in')
      await page.goto(`${at.origin}/welcome#${await at.linkFor('operator')}`)
      await check('welcome')
      await enterBy(page, at, 'operator')
      // Every page that the navigation leads to, so that a new one is checked without being named here.
      const linked = await page
        .locator('nav[aria-label=Pages] a[href^="/"]')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
      expect(linked).toEqual(expect.arrayContaining(['/world', '/inbox', '/threads', '/replay', '/health']))
      for (const path of [...linked, ...paths]) {
        await page.goto(`${at.origin}${path}`)
        await check(path)
      }
      await page.goto(`${at.origin}/world?at=/floor`)
      await settled(page)
      await page.getByRole('listbox', { name: /^Map of/ }).focus()
      await page.keyboard.press('ArrowDown')
      await check('a chosen mark')
      await page.keyboard.press('Control+k')
      await page.locator('input[aria-label=Search]:focus').waitFor()
      await check('search')
      await page.keyboard.press('Escape')
      await page.goto(`${at.origin}/inbox`)
      await page.getByRole('link', { name: /Open\?/ }).click()
      await check('an open entry')
      await page.getByRole('button', { name: 'Notify me' }).click()
      await page.getByRole('checkbox', { name: 'question' }).waitFor()
      await check('of what one is notified')
      await page.keyboard.press('Escape')
      await page.goto(`${at.origin}/beings/echo`)
      for (const dialog of ['Budget', 'End it']) {
        await page.getByRole('button', { name: dialog }).click()
        await page.getByRole('dialog').waitFor()
        await check(`the dialog of “${dialog}”`)
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      await page.goto(`${at.origin}/people`)
      await page.getByRole('button', { name: 'New link' }).first().click()
      await page.getByRole('status').getByText('The link of').waitFor()
      await check('a link that is shown')
      await page.getByRole('button', { name: 'Invite somebody' }).click()
      await page.getByLabel('Default role').waitFor()
      await check('an invitation')
      expect(found).toEqual({})
    })
  })

  it('control: it finds a picture without a text and a text without contrast', async () => {
    await inContext('light', 1440, async (page) => {
      await enterBy(page, at, 'operator')
      await page.evaluate(`
        const box = document.createElement('p'); box.textContent = 'pale'
        box.style.color = '#eee'; box.style.background = '#fff'
        const picture = document.createElement('img'); picture.src = '/tree.svg'
        document.querySelector('main').append(box, picture)`)
      const rules = (await violationsOf(page)).map((one) => one.split(':')[0])
      expect(rules).toEqual(expect.arrayContaining(['color-contrast', 'image-alt']))
    })
  })

  it('by keys alone: the first stop leads past the navigation to the page', async () => {
    await inContext('light', 1440, async (page) => {
      await enterBy(page, at, 'operator')
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the page')
      await page.locator('.skip:focus').waitFor()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true)
    })
  })

  it('times stand in the zone of the person, and say on hover which one it is', async () => {
    const shown: unknown[] = []
    for (const [timezoneId, called] of [
      ['Asia/Kolkata', /GMT\+5:30|IST/],
      ['America/St_Johns', /GMT-[23]:30|N[SD]T/],
    ] as const) {
      const context = await browser.newContext({ timezoneId, locale: 'en-GB' })
      const page = await context.newPage()
      await enterBy(page, at, 'operator')
      await page.goto(`${at.origin}/beings/echo`)
      const time = page.locator('main time').first()
      const iso = (await time.getAttribute('datetime')) ?? ''
      const wanted = new Date(iso).toLocaleTimeString('en-GB', { timeZone: timezoneId, timeStyle: 'short' })
      const text = await time.textContent()
      expect(text).toContain(wanted)
      expect(await time.getAttribute('title')).toMatch(called)
      shown.push(text)
      await context.close()
    }
    expect(shown[0]).not.toBe(shown[1])
  })

  it('words from right to left turn nothing beside them around, and joined characters stay one', async () => {
    await summon(at.world, {
      target: 'echo',
      content: `${ARABIC} ${FAMILY}`,
      as: 'operator',
      waitSeconds: 30,
    })
    await inContext('light', 1440, async (page) => {
      await enterBy(page, at, 'operator')
      await page.goto(`${at.origin}/threads`)
      const row = page.locator('a.row').filter({ hasText: ARABIC })
      const words = row.locator('.inert').filter({ hasText: ARABIC }).first()
      expect(await words.textContent()).toBe(`${ARABIC} ${FAMILY}`)
      expect(await words.locator('.unseen').count()).toBe(0)
      expect(await directionOf(words)).toBe('rtl')
      // The time ends the row, as in any other row, and who took part reads from left to right.
      const [subject, time] = [await words.boundingBox(), await row.locator('time').boundingBox()]
      expect(time!.x).toBeGreaterThan(subject!.x + subject!.width)
      const taking = row.locator('.inert').filter({ hasText: '@echo' })
      expect(await directionOf(taking)).toBe('ltr')
      // In one word, so that a font that has it draws one sign.
      expect(await words.innerHTML()).toBe(`${ARABIC} ${FAMILY}`)
    })
  })
})
