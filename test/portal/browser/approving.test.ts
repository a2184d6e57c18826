/** A person answers calls that wait: in the inbox, and by a link. */
import { approvals } from '@treeos/client'
import { makeAnswerLink } from '@treeos/portal'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { createSpace, doAs, momentOf, play } from '../../support/life.ts'
import { PortalWorld } from '../../support/portal.ts'
import till from '../../support/till.ts'

describe.runIf(hasChromium)('calls that wait for a yes, in a browser', () => {
  let at: PortalWorld
  let browser: Browser
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    at = await PortalWorld.start({ extensions: [till] })
    await at.world.birthPuppet('clerk')
    await createSpace(at.world, '/shop')
    await doAs(at.world, 'set-space', '/shop', {
      field: 'permissions.do',
      value: { 'till:pay': { requires: ['anyone'], ask: { who: ['@ada'], within: 600 } } },
    })
    browser = await openBrowser()
    page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
    complaints = complaintsOf(page)
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })

  const asked = async (euros: number) => {
    const { n } = await play(at.world, 'clerk', {
      verb: 'do',
      operation: 'till:pay',
      target: '/shop',
      args: { euros },
    })
    return `clerk/1/${n}`
  }

  it('the inbox shows the call, and its buttons answer it', async () => {
    const [yes, no] = [await asked(40), await asked(41)]
    await enterBy(page, at, 'ada')
    await page.getByRole('link', { name: 'Inbox' }).click()
    const entry = (euros: number) => page.locator('a.row').filter({ hasText: `till:pay (euros ${euros})` })
    await entry(40).click()
    await page.getByText('@clerk wants to do till:pay on /shop').waitFor()
    await page.getByText(/The rule \/shop permissions.do.till:pay asks you/).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    expect(await momentOf(at.world, `approved/${yes}`)).toMatchObject({ outcome: 'act' })
    await entry(40).waitFor({ state: 'detached' })
    await entry(41).click()
    await page.getByLabel(/Why not/).fill('too much')
    await page.getByRole('button', { name: 'Deny' }).click()
    await momentOf(at.world, `denied/${no}`)
    await entry(41).waitFor({ state: 'detached' })
  })

  it('a link shows the call to whoever opens it, and answers it by a press', async () => {
    const id = await asked(42)
    const waiting = async () =>
      (await approvals({ ...at.world, person: 'ada' }, 'ada')).find((one) => one.id === id)
    const stranger = await (await browser.newContext()).newPage()
    await stranger.goto(`${at.origin}/answer#${await makeAnswerLink(at.store, 'ada', (await waiting())!)}`)
    await stranger.getByText('You answer as @ada').waitFor()
    await stranger.getByText(/@clerk wants to do/).waitFor()
    expect(await waiting()).toBeDefined() // opening it answers nothing
    await stranger.getByRole('button', { name: 'Approve' }).click()
    await stranger.getByText('You said yes.').waitFor()
    expect(await momentOf(at.world, `approved/${id}`)).toMatchObject({ outcome: 'act' })
    await stranger.reload()
    await stranger.getByText(/this link answers nothing any more/).waitFor()
    expect(complaints).toEqual([])
  })
})
