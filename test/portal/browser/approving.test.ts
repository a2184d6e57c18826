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
    await asked(40)
    await enterBy(page, at, 'ada')
    await page.getByRole('link', { name: 'Inbox' }).click()
    const entry = (euros: number) => page.locator('a.row').filter({ hasText: `till:pay (euros ${euros})` })
    await entry(40).first().click()
    await page.getByText('@clerk wants to do till:pay on /shop').waitFor()
    await page.getByText('euros 40', { exact: true }).waitFor()
    await page.getByText('The same call waits twice.').waitFor()
    await page.getByText(/The rule \/shop permissions.do.till:pay asks you/).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    // What was done is told, and the next one opens. For some seconds it can be undone: nothing has happened.
    await page.getByText('You said yes: @clerk wants to till:pay (euros 40) on /shop.').waitFor()
    await page.getByText('euros 41', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('euros 40', { exact: true }).waitFor()
    expect((await approvals({ ...at.world, person: 'ada' }, 'ada')).map(({ id }) => id)).toContain(yes)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('euros 41', { exact: true }).waitFor()
    expect(await momentOf(at.world, `approved/${yes}`)).toMatchObject({ outcome: 'act' })
    await page.getByLabel(/Why not/).fill('too much')
    await page.getByRole('button', { name: 'Deny' }).click()
    await momentOf(at.world, `denied/${no}`)
    await page.getByText('You said no: @clerk wants to till:pay (euros 41) on /shop.').waitFor()
    // The moment of an approved call says whose yes it had.
    const { n } = await momentOf(at.world, `approved/${yes}`)
    const maker = await (await browser.newContext()).newPage()
    await enterBy(maker, at, 'operator')
    await maker.goto(`${at.origin}/beings/clerk?n=${n}`)
    await maker.getByText('Approved by @ada').waitFor()
  })

  it('keys answer, too, once one has seen what they answer; in a field they are letters', async () => {
    const denied = await asked(41)
    await page.goto(`${at.origin}/inbox`)
    await page.locator('a.row').filter({ hasText: 'euros 41' }).click()
    await page.getByText('euros 41', { exact: true }).waitFor()
    await page.getByLabel(/Why not/).fill('')
    await page.keyboard.type('ny')
    expect(await page.getByLabel(/Why not/).inputValue()).toBe('ny')
    await page.getByLabel(/Why not/).blur()
    await page.getByRole('button', { name: 'Deny' }).click({ trial: true })
    await page.keyboard.press('n')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.keyboard.press('u')
    await page.getByText('euros 41', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Deny' }).click({ trial: true })
    await page.keyboard.press('n')
    await momentOf(at.world, `denied/${denied}`)
    await page.getByText('euros 40', { exact: true }).waitFor()
    await page.getByText(/^The same was done before/).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click({ trial: true })
    await page.keyboard.press('y')
    await page.getByText('You said yes: @clerk wants to till:pay (euros 40) on /shop.').waitFor()
    await page.getByText('Nothing waits for you').waitFor()
  })

  it('whoever leaves the page has not undone what it decided', async () => {
    const id = await asked(43)
    await page.goto(`${at.origin}/inbox`)
    await page.locator('a.row').filter({ hasText: 'euros 43' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.goto('about:blank')
    expect(await momentOf(at.world, `approved/${id}`, 5)).toMatchObject({ outcome: 'act' })
    await page.goto(`${at.origin}/inbox`)
  })

  it('a decision that is refused after its page was left is told on every other page, and its entry is open again', async () => {
    const id = await asked(44)
    await page.goto(`${at.origin}/inbox`)
    await page.locator('a.row').filter({ hasText: 'euros 44' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    // Meanwhile the same person answers elsewhere.
    await doAs({ ...at.world, person: 'ada' }, 'deny', '@ada', { id }, 'ada')
    await page.getByRole('link', { name: 'Threads', exact: true }).click()
    const told = page.getByRole('alert').filter({ hasText: 'Your yes was not taken' })
    await told.getByText('Your yes was not taken: @clerk wants to till:pay (euros 44) on /shop.').waitFor()
    await page.getByRole('link', { name: 'World', exact: true }).click()
    await told.waitFor() // it stays until it is closed
    await told.getByRole('button', { name: 'Close' }).click()
    await told.waitFor({ state: 'detached' })
    await page.goto(`${at.origin}/inbox`)
    expect(complaints.splice(0).filter((one) => !/\b4\d\d\b/.test(one))).toEqual([]) // the refusal itself
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
