/** A day at a support desk: what its tasks take of a person, in clicks, keys and turns of the wheel. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import {
  answerAtDesk,
  ENTRIES,
  Hand,
  openAtDesk,
  openDesk,
  QUESTION,
  REFUND,
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
  const took = (work: Work) => day[day.push(work) - 1]

  it('a question of a customer is answered', async () => {
    expect(await openAtDesk(at)).toHaveLength(ENTRIES)
    const hand = new Hand(page)
    await hand.click(pages().getByRole('link', { name: /^Inbox/ }))
    await hand.click(page.getByRole('link', { name: QUESTION }))
    await hand.press('r')
    await hand.write('It left today.')
    await hand.click(page.getByRole('button', { name: 'Send the answer' }))
    await until(async () => (await openAtDesk(at)).every(({ content }) => content !== QUESTION))
    expect(took(hand.done('answer a question'))).toMatchObject({ clicks: 3, keys: 1, turns: 0 })
  })

  it('a refund is approved', async () => {
    const paid = async () => (await openAtDesk(at)).filter(({ kind }) => kind === 'approval').length
    const before = await paid()
    const hand = new Hand(page)
    await hand.click(pages().getByRole('link', { name: /^Inbox/ }))
    await hand.click(page.getByRole('link', { name: new RegExp(`euros ${REFUND}\\b`) }))
    await hand.click(page.getByRole('button', { name: 'Approve' }))
    await until(async () => (await paid()) === before - 1)
    expect(took(hand.done('approve a refund'))).toMatchObject({ clicks: 3, keys: 0, turns: 0 })
  })

  it('why a being failed is found, with what to do', async () => {
    const hand = new Hand(page)
    await hand.click(page.getByRole('status').getByRole('link', { name: 'Look' }).first())
    await hand.click(page.getByRole('list', { name: 'Failures' }).getByRole('link', { name: '@billing' }))
    const happened = page.getByRole('region', { name: 'What happened' })
    await hand.sees(happened.getByText(/It failed: /))
    await hand.sees(happened.getByText(/Its model did not answer/))
    expect(took(hand.done('find why a being failed'))).toMatchObject({ clicks: 2, keys: 0 })
    expect(complaints).toEqual([])
  })
})
