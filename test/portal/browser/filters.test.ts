import { summon } from '@treeos/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { live } from '../../support/life.ts'
import { PortalWorld } from '../../support/portal.ts'

describe.runIf(hasChromium)('lists that are filtered', () => {
  let at: PortalWorld
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    at = await PortalWorld.start()
    browser = await openBrowser()
    await at.world.birth({ name: 'mute', cognition: 'scripted', script: 'stage:puppet', role: 'stage:mute' })
    for (const path of ['/mine', '/yours']) {
      const call = { verb: 'do', operation: 'create-space', target: '/', args: { path } }
      await live(at.world, 'mute', { call })
    }
    for (const content of ['Is order 15 shipped?', 'And order 16?'])
      await summon(at.world, { target: 'echo', content, as: 'operator', waitSeconds: 30 })
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    page = await context.newPage()
    complaints = complaintsOf(page)
    await enterBy(page, at, 'operator')
  })
  afterEach(() => context.close())

  it('moments of a being by words, outcome, role and cost, and it says of how many', async () => {
    await page.goto(`${at.origin}/beings/echo`)
    const rows = page.getByRole('list', { name: 'Moments' }).getByRole('listitem')
    await rows.nth(1).waitFor()
    await page.getByLabel('Words of moments').fill('15 shipped')
    await page.getByText('1 of the newest 2 moments').waitFor()
    expect(await rows.count()).toBe(1)
    await page.getByLabel('Words of moments').fill('')
    await page.getByLabel('Role of moments').selectOption('resident')
    await page.getByText('2 of the newest 2 moments').waitFor()
    await page.getByLabel('Cost of moments').selectOption('asked a model')
    await page.getByText('0 of the newest 2 moments').waitFor()
    await page.goto(`${at.origin}/beings/mute`)
    await page.getByLabel('Outcome of moments').selectOption('failed')
    await page.getByText('2 of the newest 2 moments').waitFor()
    // By the arguments of what it did, which stand in the row of what was done.
    await page.getByLabel('Words of moments').fill('/mine')
    await page.getByText('1 of the newest 2 moments').waitFor()
    await page.goto(`${at.origin}/beings/operator`)
    await page.getByLabel('Words of moments').fill('birth mute')
    await page
      .getByText(/^birth .*\bname mute\b/)
      .first()
      .waitFor()
    expect(complaints).toEqual([])
  })

  it('roles that are mine, that are in use, and all', async () => {
    await page.goto(`${at.origin}/roles`)
    const list = page.getByRole('navigation', { name: 'Roles' }).getByRole('link')
    await list.filter({ hasText: 'stage:seer' }).waitFor()
    const which = page.getByRole('radiogroup', { name: 'Which roles' })
    await which.getByText('In use').click()
    await list.filter({ hasText: 'stage:seer' }).waitFor({ state: 'detached' })
    await list.filter({ hasText: 'stage:mute' }).waitFor()
    await which.getByText('Mine').click()
    await list.filter({ hasText: 'stage:mute' }).waitFor({ state: 'detached' })
    expect(await list.allTextContents()).toEqual([expect.stringMatching(/^narrow/)])
    expect(complaints).toEqual([])
  })
})
