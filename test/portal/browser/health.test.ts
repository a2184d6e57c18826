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

  it('shows what runs, what waits, failures of the last hour by reason, and use against budgets', async () => {
    await enterBy(page, at, 'operator')
    await page.goto(`${at.origin}/health`)
    await page.getByRole('region', { name: 'Services' }).getByText('runs').waitFor()
    await page.getByRole('region', { name: 'Checks' }).getByText('nothing waits').waitFor()
    await page.getByRole('region', { name: 'What waits' }).getByText('No wake waits for a worker.').waitFor()
    const failures = page.getByRole('region', { name: 'Failures of the last hour' })
    await failures.getByRole('row', { name: 'FORBIDDEN 2' }).waitFor()
    const budgets = page.getByRole('region', { name: 'Use against budgets' })
    await budgets.getByRole('row', { name: /@kid.*of 1,000.*of 5/ }).waitFor()
    expect(complaints).toEqual([])
    // What happens shows by itself.
    await live(at.world, 'mute', {
      call: { verb: 'do', operation: 'create-space', target: '/', args: { path: '/mine' } },
    })
    await failures.getByRole('row', { name: 'FORBIDDEN 3' }).waitFor({ timeout: 10_000 })
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
