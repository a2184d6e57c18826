import { act, plantScene } from '@treeos/client'
import harmony from '@treeos/harmony'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { until } from '../../support/life.ts'
import { PortalWorld } from '../../support/portal.ts'

describe.runIf(hasChromium)('the map', () => {
  let at: PortalWorld
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    at = await PortalWorld.start({ extensions: [harmony] })
    browser = await openBrowser()
    const scene = (
      JSON.parse(
        JSON.stringify(harmony.scene).replaceAll('"ada"', '"ann"').replaceAll('@ada', '@ann'),
      ) as typeof harmony.scene
    ).filter((call) => !(call.verb === 'do' && call.operation === 'harmony:drum'))
    await plantScene(at.world, { name: 'harmony', scene })
    const make = (path: string, args: object) =>
      act(at.world, 'operator', {
        verb: 'do',
        operation: 'create-space',
        target: '/',
        args: { path, ...args },
      })
    await make('/hall', { size: { x: 8, y: 4, z: 1 } })
    const kid = { ...at.world, person: 'ada' }
    await act(kid, 'ada', {
      verb: 'do',
      operation: 'move',
      target: '/hall',
      args: { coord: { x: 6, y: 1, z: 0 } },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    page = await context.newPage()
    complaints = complaintsOf(page)
  })
  afterEach(() => context.close())

  const spotOf = (key: string) => page.locator(`[data-key="${key}"]`).getAttribute('data-spot')

  it('the dancers of harmony are seen dancing, without a reload', async () => {
    await enterBy(page, at, 'operator')
    await page.goto(`${at.origin}/world?at=/floor`)
    await page.locator('.map-being').nth(3).waitFor()
    expect([await spotOf('being:ann'), await spotOf('being:bo'), await spotOf('being:drum')]).toEqual([
      '0 0',
      '9 0',
      null,
    ])
    expect(await page.locator('.map-wall').count()).toBe(3)
    await act(at.world, 'operator', {
      verb: 'do',
      operation: 'harmony:drum',
      target: '/floor',
      args: { alive: true, beats: 3 },
    })
    const seen = new Set<string>()
    await until(
      async () => {
        seen.add(`${await spotOf('being:ann')}`)
        return seen.size > 2
      },
      { what: 'two steps of @ann' },
    )
    await page
      .locator('[data-key="being:ann"] title')
      .getByText('harmony:dancer')
      .waitFor({ state: 'attached' })
    expect(complaints).toEqual([])
  })

  it('a space with a size shows who has a coord there, and the keys go from mark to mark', async () => {
    await enterBy(page, at, 'operator')
    await page.goto(`${at.origin}/world?at=/hall`)
    await page.locator('.map-being').waitFor()
    expect(await spotOf('being:ada')).toBe('6 1')
    await page.goto(`${at.origin}/world?at=/`)
    const map = page.getByRole('listbox', { name: 'Map of /' })
    await map.getByRole('option', { name: /space \/hall, 1 beings in it/ }).waitFor()
    await map.focus()
    for (let i = 0; i < 10; i++) {
      await page.keyboard.press(i === 0 ? 'Home' : 'ArrowDown')
      const chosen = map.getByRole('option', { selected: true })
      expect(await chosen.count()).toBe(1)
      expect(await map.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'))
    }
    const name = await map.getByRole('option', { selected: true }).getAttribute('data-key')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/beings/${name?.replace('being:', '')}`)
    // From a place that is pressed to a birth in it.
    await page.goto(`${at.origin}/world?at=/`)
    await map.getByRole('option', { name: /space \/hall/ }).click()
    await page.getByRole('link', { name: 'Give birth here' }).click()
    await page.waitForURL('**/birth?home=*')
    expect(
      await page
        .getByRole('combobox', { name: 'Home' })
        .or(page.getByRole('textbox', { name: 'Home' }))
        .first()
        .inputValue(),
    ).toBe('/hall')
    expect(complaints).toEqual([])
  })

  it('who may not see a space gets no map of it', async () => {
    await enterBy(page, at, 'bob')
    await page.goto(`${at.origin}/world?at=/floor`)
    await page.getByRole('alert', { name: 'This cannot be shown' }).waitFor()
    expect(await page.locator('.map-mark').count()).toBe(0)
  })
})
