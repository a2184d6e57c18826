import { act } from '@treeos/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { live } from '../../support/life.ts'
import { PortalWorld } from '../../support/portal.ts'

describe.runIf(hasChromium)('the health page', () => {
  let at: PortalWorld
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    at = await PortalWorld.start()
    browser = await openBrowser()
    await at.world.birth({ name: 'mute', cognition: 'scripted', script: 'stage:puppet', role: 'stage:mute' })
    const call = { verb: 'do', operation: 'create-space', target: '/', args: { path: '/mine' } }
    await live(at.world, 'mute', { call })
    await live(at.world, 'mute', { call })
    await act(at.world, 'operator', {
      verb: 'do',
      operation: 'set-budget',
      target: '@kid',
      args: { tokens: 1000, momentsPerMinute: 5 },
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

  it('shows what runs, what waits, failures by cause, and use against budgets', async () => {
    await enterBy(page, at, 'operator')
    await page.goto(`${at.origin}/health`)
    await page.getByRole('region', { name: 'Services' }).getByText('runs').waitFor()
    await page.getByRole('region', { name: 'Checks' }).getByText('nothing waits').waitFor()
    await page.getByRole('region', { name: 'What waits' }).getByText('No wake waits for a worker.').waitFor()
    const causes = page.getByRole('list', { name: 'Causes' })
    await causes.getByRole('listitem').getByText('2', { exact: true }).waitFor()
    await causes.getByText('FORBIDDEN').waitFor()
    await causes.getByText(/Widen the role/).waitFor()
    const budgets = page.getByRole('region', { name: 'Use against budgets' })
    await budgets.getByRole('row', { name: /@kid.*of 1,000.*of 5/ }).waitFor()
    expect(complaints).toEqual([])
    // What happens shows by itself.
    await live(at.world, 'mute', {
      call: { verb: 'do', operation: 'create-space', target: '/', args: { path: '/mine' } },
    })
    await causes.getByRole('listitem').getByText('3', { exact: true }).waitFor({ timeout: 10_000 })
    await causes.getByRole('link', { name: /@mute/ }).first().click()
    await page.waitForURL(/beings\/mute\?n=\d+/)
  })

  it('begins with what was spent in the currency, by being, role, space, thread, model and day', async () => {
    await enterBy(page, at, 'operator')
    await page.goto(`${at.origin}/health`)
    const titles = page.locator('main h2')
    await titles.nth(2).waitFor()
    expect((await titles.allTextContents()).slice(0, 3)).toEqual(['Cost', 'By what', 'Failures by cause'])
    await page
      .getByRole('region', { name: 'Cost', exact: true })
      .getByText('€0.00', { exact: true })
      .waitFor()
    const spenders = page.getByRole('region', { name: 'By what' })
    const by = async (kind: string, name: RegExp) => {
      await spenders.getByText(kind, { exact: true }).click()
      await spenders.getByRole('row', { name }).first().waitFor()
    }
    await by('Beings', /^@mute €0\.00/)
    await by('Roles', /^stage:mute/)
    await by('Spaces', /^\/ /)
    await by('Threads', /create-space/)
    await by('Models', /^no model/)
    await by('Days', /^\w{3} \d+, \d{4}/)
    expect(complaints).toEqual([])
  })

  it('another person sees its own use only', async () => {
    await enterBy(page, at, 'bob')
    await page.goto(`${at.origin}/health`)
    await page.getByText('How the reality does is for its operator').waitFor()
    await page.getByRole('region', { name: 'Use against budgets' }).getByText('@bob').waitFor()
    expect(await page.getByText('@kid').count()).toBe(0)
    expect(await page.getByRole('region', { name: 'Services' }).count()).toBe(0)
    expect(complaints.filter((one) => !one.includes('403'))).toEqual([])
  })
})
