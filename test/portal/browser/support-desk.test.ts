/** A day at a support desk: what its tasks take of a person, in clicks, keys and turns of the wheel. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import {
  answerAtDesk,
  BRIEFLY,
  ENTRIES,
  Hand,
  openAtDesk,
  openDesk,
  QUESTION,
  REFUND,
  ROLE,
  type Work,
} from '../../support/desk.ts'
import { until } from '../../support/life.ts'
import { PortalWorld } from '../../support/portal.ts'
import till from '../../support/till.ts'
import { useModelServer } from '../../support/use-world.ts'

describe.runIf(hasChromium)('a day at a support desk', () => {
  const model = useModelServer()
  const day: Work[] = []
  let at: PortalWorld
  let browser: Browser
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    model.script(answerAtDesk)
    at = await PortalWorld.start({ modelUrl: model.url, extensions: [till] })
    await openDesk(at)
    browser = await openBrowser()
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
    complaints = complaintsOf(page)
    await enterBy(page, at, 'operator')
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
    console.table(day)
  })
  /** Each task begins where one lands after signing in. */
  beforeEach(async () => {
    await page.goto(at.origin)
    await page.getByRole('heading', { name: 'What needs you' }).waitFor()
  })

  const pages = () => page.getByRole('navigation', { name: 'Pages' })
  /** At most so many clicks, keys and turns of the wheel. */
  const expectDone = (work: Work, { clicks, keys, turns }: Pick<Work, 'clicks' | 'keys' | 'turns'>) => {
    day.push(work)
    expect(work.clicks, `clicks to ${work.task}`).toBeLessThanOrEqual(clicks)
    expect(work.keys, `keys to ${work.task}`).toBeLessThanOrEqual(keys)
    expect(work.turns, `turns of the wheel to ${work.task}`).toBeLessThanOrEqual(turns)
  }

  it('a question of a customer is answered', async () => {
    expect(await openAtDesk(at)).toHaveLength(ENTRIES)
    const hand = new Hand(page)
    await hand.click(pages().getByRole('link', { name: /^Inbox/ }))
    await hand.click(page.getByRole('link', { name: QUESTION }))
    await hand.press('r')
    await hand.write('It left today.')
    await hand.click(page.getByRole('button', { name: 'Send the answer' }))
    await until(async () => (await openAtDesk(at)).every(({ content }) => content !== QUESTION))
    expectDone(hand.done('answer a question'), { clicks: 3, keys: 1, turns: 1 })
  })

  it('a refund is approved', async () => {
    const paid = async () => (await openAtDesk(at)).filter(({ kind }) => kind === 'approval').length
    const before = await paid()
    const hand = new Hand(page)
    await hand.click(pages().getByRole('link', { name: /^Inbox/ }))
    await hand.click(page.getByRole('link', { name: new RegExp(`euros ${REFUND}\\b`) }))
    await hand.click(page.getByRole('button', { name: 'Approve' }))
    await until(async () => (await paid()) === before - 1)
    expectDone(hand.done('approve a refund'), { clicks: 3, keys: 0, turns: 0 })
  })

  it('why a being failed is found, with what to do', async () => {
    const hand = new Hand(page)
    await hand.click(page.getByRole('status').getByRole('link', { name: 'Look' }).first())
    await hand.click(
      page
        .getByRole('list', { name: 'Causes' })
        .getByRole('link', { name: /@billing/ })
        .first(),
    )
    const happened = page.getByRole('region', { name: 'What happened' })
    await hand.sees(happened.getByText(/It failed: /))
    await hand.sees(happened.getByText(/Its prompt is too long for its model/))
    await page.getByText(/^model, try 1\b/).waitFor()
    expectDone(hand.done('find why a being failed'), { clicks: 2, keys: 0, turns: 1 })
  })

  it('a role is changed after it was tried over past moments', async () => {
    const hand = new Hand(page)
    await hand.click(pages().getByRole('link', { name: 'Roles', exact: true }))
    await hand.click(page.getByRole('navigation', { name: 'Roles' }).getByRole('link', { name: `${ROLE} ` }))
    await hand.click(page.getByRole('button', { name: 'Edit', exact: true }))
    await hand.click(page.getByLabel('Prompt', { exact: true }))
    await hand.press('Control+End')
    await hand.write(BRIEFLY.prompt)
    await hand.click(page.getByRole('button', { name: 'Try it on past moments' }))
    const trying = page.getByRole('region', { name: 'Try it' })
    await hand.click(trying.getByRole('button', { name: 'What would it cost?' }))
    await hand.click(trying.getByRole('button', { name: 'Ask again now' }))
    await hand.sees(trying.getByText(BRIEFLY.answer))
    await hand.click(trying.getByRole('button', { name: 'Publish it with this trial' }))
    await hand.click(page.getByRole('button', { name: 'Publish', exact: true }))
    await hand.sees(page.getByRole('region', { name: 'The role' }).getByText(BRIEFLY.prompt.trim()))
    expectDone(hand.done('change a role after trying it'), { clicks: 9, keys: 1, turns: 2 })
    expect(complaints).toEqual([])
  })
})
