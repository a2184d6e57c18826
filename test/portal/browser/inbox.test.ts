/** The inbox as a queue, a conversation, a server that is away, and plain http from another machine. */
import { closeInbox, inbox, summon } from '@treeos/client'
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { doAs, until, wakeUp } from '../../support/life.ts'
import { PASSWORD, PortalWorld } from '../../support/portal.ts'

const HOST = 'world.test'
const QUESTIONS = 4
const NOTICES = 3
/** More than the page reads of answers. They are newer than all that needs a decision. */
const FLOOD = 1100

describe.runIf(hasChromium)('the page people work in', () => {
  let at: PortalWorld
  let browser: Browser
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    at = await PortalWorld.start()
    const asAda = { ...at.world, person: 'ada' }
    for (let i = 1; i <= QUESTIONS; i++)
      await summon(asAda, { target: 'operator', content: `Question ${i}?`, as: 'ada', waitSeconds: null })
    const asked = { target: 'echo', content: 'Say that it rains.', as: 'operator', waitSeconds: null }
    await summon(at.world, asked)
    await summon(asAda, { target: 'operator', content: 'May I?', as: 'ada', waitSeconds: null })
    for (let i = 0; i < NOTICES; i++) await at.world.birthPuppet(`failing-${i}`)
    for (let i = 0; i < NOTICES; i++) await wakeUp(at.world, `failing-${i}`, [{ throw: `fault ${i}` }])
    await until(async () => (await inbox(at.world, 'operator')).length >= QUESTIONS + NOTICES + 2, {
      seconds: 60,
    })
    await sql`
      insert into treeos.inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root, in_reply_to)
      select 'flood/' || i, being, kind, priority, caller, caller_role, caller_cognition, content, case when i = ${FLOOD} then root else 'flood' end, in_reply_to
      from (select * from treeos.inbox where being = 'operator' and in_reply_to is not null limit 1) one, generate_series(1, ${FLOOD}) i`.execute(
      at.world.owner,
    )
    browser = await openBrowser([`--host-resolver-rules=MAP ${HOST} 127.0.0.1`])
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })
  beforeEach(async () => {
    page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
    complaints = complaintsOf(page)
  })

  const row = (words: RegExp) => page.getByRole('link', { name: words })
  const needing = async () =>
    (await waiting()).filter((kind) => ['question', 'asks-back'].includes(kind)).length
  const ofKid = async () =>
    (await inbox(at.world, 'operator')).flatMap(({ from, kind }) => (from === '@kid' ? [kind] : []))
  const waiting = async () => (await inbox(at.world, 'operator')).map(({ kind }) => kind)

  it('what needs a decision stands apart, who waits longest first, and is gone through by keys; no flood of newer notices hides it', async () => {
    await enterBy(page, at, 'operator')
    await page.getByLabel(`${QUESTIONS + 1} entries need you`).waitFor() // the badge
    await page.goto(`${at.origin}/inbox`)
    const list = page.getByRole('list', { name: 'Needs you' })
    await list.waitFor()
    const rows = await list.locator('a.row').allTextContents()
    expect(rows).toHaveLength(QUESTIONS + 1)
    expect(rows[0]).toContain('Question 1?')
    expect(rows[0]).toMatch(/waits \d+ (?:s|min)/)
    expect(rows.at(-1)).toContain('May I?')
    await page.keyboard.press('j')
    await page.waitForURL(/entry=/)
    const entry = page.getByRole('region', { name: 'Entry' })
    await entry.getByText('Question 1?').first().waitFor()
    for (let i = 0; i < QUESTIONS; i++) await page.keyboard.press('j')
    await entry.getByText('May I?').first().waitFor()
    for (let i = 0; i < QUESTIONS; i++) await page.keyboard.press('k')
    await entry.getByText('Question 1?').first().waitFor()
    // It is in view, and has an address of its own.
    expect((await entry.boundingBox())!.y).toBeLessThan(400)
    await page.reload()
    await entry.getByText('Question 1?').first().waitFor()
    await page.keyboard.press('e') // it needs a decision: nothing is closed
    await page.getByText(/needs a decision, so e does not close it/).waitFor()
    // Single keys can be turned off.
    const keys = page.getByRole('switch', { name: 'Single keys' })
    await keys.uncheck()
    await page.keyboard.press('j')
    await page.waitForTimeout(300)
    await entry.getByText('Question 1?').first().waitFor()
    await keys.check()
    // What is half written is there again after another entry was looked at.
    await page.keyboard.press('r')
    await page.keyboard.type('Yes, at ')
    await row(/Question 3/).click()
    await entry.getByText('Question 3?').first().waitFor()
    expect(await page.getByLabel('Your answer').inputValue()).toBe('')
    await row(/Question 1/).click()
    await until(async () => (await page.getByLabel('Your answer').inputValue()) === 'Yes, at ')
    await page.getByLabel('Your answer').focus()
    await page.keyboard.press('End')
    await page.keyboard.type('noon.')
    await page.keyboard.press('Shift+Enter')
    expect(await page.getByLabel('Your answer').inputValue()).toBe('Yes, at noon.\n')
    await page.keyboard.press('Backspace')
    await page.getByText('Enter sends, Shift and Enter begin a line').waitFor()
    await page.keyboard.press('Enter')
    await entry.getByText('Question 2?').first().waitFor() // the next one opens
    await page.keyboard.press('Escape')
    expect((await waiting()).filter((kind) => kind === 'question')).toHaveLength(QUESTIONS)
    expect(complaints).toEqual([])
  })

  it('who writes is neither moved nor loses a word by what ends meanwhile, and keys work after a press on a tab', async () => {
    await enterBy(page, at, 'operator')
    await page.goto(`${at.origin}/inbox?in=needs`)
    const entry = page.getByRole('region', { name: 'Entry' })
    const answer = page.getByLabel('Your answer')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/v1/inbox/reply', async (route) => {
      await released
      await route.continue()
    })
    await row(/Question 2/).click()
    await entry.getByText('Question 2?').first().waitFor()
    await answer.fill('At two.')
    await page.getByRole('button', { name: 'Send the answer' }).click()
    await row(/Question 4/).click()
    await entry.getByText('Question 4?').first().waitFor()
    await answer.focus()
    await page.keyboard.type('At fo')
    release()
    await row(/Question 2/).waitFor({ state: 'detached' })
    await page.keyboard.type('ur, j')
    expect(await answer.inputValue()).toBe('At four, j')
    // Somebody else closes it.
    const [four] = (await inbox(at.world, 'operator')).filter(({ content }) => content === 'Question 4?')
    await closeInbox(at.world, { as: 'operator', how: 'dismissed', entries: [four!.correlation] })
    await page.getByText('This entry is closed, or asks for nothing any more.').waitFor()
    await page.keyboard.type('e')
    expect(await answer.inputValue()).toBe('At four, je')
    // A second press on a button takes nothing that nobody has seen.
    await row(/May I/).click()
    await page.getByRole('button', { name: 'Dismiss without an answer' }).dblclick()
    await page.getByText('Choose an entry').waitFor()
    expect((await waiting()).filter((kind) => kind === 'question')).toHaveLength(QUESTIONS - 3)
    await page.getByText('Notices 3').click()
    await page.getByRole('list', { name: 'Notices' }).waitFor()
    await page.keyboard.press('j')
    await page.waitForURL(/entry=/)
    expect(complaints).toEqual([])
  })

  it('an answer that is not sent after its page was left is told on the next one, and is kept', async () => {
    await enterBy(page, at, 'operator')
    await page.goto(`${at.origin}/inbox?in=needs`)
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    await page.route('**/api/v1/inbox/reply', async (route) => {
      await left
      await route.abort()
    })
    await row(/Question 3/).click()
    await page.getByLabel('Your answer').fill('At three.')
    await page.getByRole('button', { name: 'Send the answer' }).click()
    await page.getByRole('link', { name: 'World', exact: true }).click()
    await page.getByRole('heading', { name: 'World', exact: true }).waitFor()
    leave()
    const told = page.getByRole('alert').filter({ hasText: 'Your answer was not sent.' })
    await told.getByRole('button', { name: 'Close' }).click()
    await told.waitFor({ state: 'detached' })
    await page.goBack()
    await row(/Question 3/).click()
    expect(await page.getByLabel('Your answer').inputValue()).toBe('At three.')
    await page.getByLabel('Your answer').fill('')
  })

  it('who chose a kind is notified of it while the page is out of sight, without its words', async () => {
    const context = await browser.newContext()
    await context.addInitScript(`
      globalThis.told = []
      globalThis.Notification = class {
        static permission = 'default'
        static async requestPermission() { return (this.permission = 'granted') }
        constructor(title, options) { told.push({ title, ...options }) }
      }
      let isHidden = false
      Object.defineProperty(document, 'hidden', { get: () => isHidden })
      globalThis.hide = () => { isHidden = true }`)
    page = await context.newPage()
    const told = () => page.evaluate<{ body: string }[]>('told')
    await enterBy(page, at, 'cleo')
    await page.goto(`${at.origin}/inbox`)
    await summon(
      { ...at.world, person: 'ada' },
      { target: 'cleo', content: 'Seen?', as: 'ada', waitSeconds: null },
    )
    await row(/Seen\?/).waitFor()
    await page.getByRole('button', { name: 'Notify me' }).click()
    await page.getByRole('checkbox', { name: 'question' }).check()
    await page.keyboard.press('Escape')
    await page.evaluate('hide()')
    const news = { target: 'cleo', content: 'It rains.', as: 'ada', waitSeconds: null, expectReply: false }
    await summon({ ...at.world, person: 'ada' }, news)
    await summon({ ...at.world, person: 'ada' }, { ...news, content: 'Hidden?', expectReply: true })
    await until(async () => (await told()).length > 0)
    expect(await told()).toEqual([
      { title: 'TreeOS', body: 'question: 2 in your inbox', tag: 'treeos-question' },
    ])
    await context.close()
  })

  it('an answer stands beside its question, and many are read at once without a decision', async () => {
    await enterBy(page, at, 'operator')
    await page.goto(`${at.origin}/inbox?in=answers`)
    await page.getByText('Older ones wait too').waitFor()
    const answers = async () => (await waiting()).filter((kind) => kind === 'answer').length
    expect(await answers()).toBe(FLOOD + 1)
    // The oldest are asked for, and are not the oldest of the newest.
    const [oldest] = (await inbox(at.world, 'operator')).filter(({ kind }) => kind === 'answer')
    await page.getByRole('button', { name: 'Filter' }).click()
    const order = page.getByLabel('Order', { exact: true }).and(page.locator('input'))
    await order.click()
    await page.getByRole('option', { name: 'Longest waiting first' }).click()
    await page.getByText('Newer ones wait too').waitFor()
    const first = page.getByRole('list', { name: 'Answers' }).locator('a.row').first()
    expect(await first.getAttribute('href')).toContain(encodeURIComponent(oldest!.correlation))
    await order.click()
    await page.getByRole('option', { name: 'Newest first' }).click()
    await page.getByText('Older ones wait too').waitFor()
    await row(/Say that it rains/)
      .first()
      .click()
    await page
      .getByRole('region', { name: 'In its thread' })
      .getByText('Say that it rains.')
      .first()
      .waitFor()
    await page.keyboard.press('e')
    await until(async () => (await answers()) === FLOOD)
    await page.goto(`${at.origin}/inbox?in=notices`)
    await page.getByLabel('Search the inbox').fill('failing-0 zebra')
    await page.getByText('Nothing is found').waitFor()
    await page.getByLabel('Search the inbox').fill('failing-0')
    await page.getByRole('button', { name: 'Mark all 1 as read' }).waitFor()
    await page.getByLabel('Search the inbox').fill('')
    // Failures of one cause are one row, with a link to the moment of each.
    await row(/failing-\d and 2 more.*notice × 3/).click()
    const happened = page.getByRole('list', { name: 'What happened' })
    await happened.getByText(/The moment of @failing-0 ended as failure/).waitFor()
    expect(await happened.getByRole('link', { name: /^moment \d+$/ }).count()).toBe(NOTICES)
    // What is shown has a name, and is shown again by it.
    await page.getByLabel('Search the inbox').fill('failing-1')
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByLabel('Name of a view').fill('The van')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Failed' }).click()
    await page.getByRole('button', { name: 'Filter 1' }).waitFor()
    await page.waitForURL(/what=failure/)
    await page
      .getByRole('button', { name: `Mark all ${NOTICES} as read` })
      .first()
      .waitFor()
    // Who is sent the address sees the same.
    await page.reload()
    await page.getByRole('button', { name: 'Filter 1' }).waitFor()
    await page
      .getByRole('button', { name: `Mark all ${NOTICES} as read` })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'The van' }).click()
    await page.getByRole('button', { name: 'Mark all 1 as read' }).waitFor()
    await page.waitForURL(/q=failing-1/)
    await page.getByLabel('Search the inbox').fill('')
    const before = (await waiting()).filter((kind) => kind === 'question').length
    const markAll = page.getByRole('button', { name: `Mark all ${NOTICES} as read` }).first()
    await markAll.click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await markAll.click()
    await page.getByText(`${NOTICES} entries are marked as read.`).waitFor()
    // More than the server closes at once, and than the page reads: it asks first, and says how many were
    // taken.
    await page.goto(`${at.origin}/inbox?in=answers`)
    await page.getByRole('button', { name: 'Mark all 1000 as read' }).click()
    await page.getByRole('button', { name: 'Yes, mark 1000' }).click()
    await page.getByText('1000 entries are marked as read.').waitFor()
    await page.getByRole('button', { name: `Mark all ${FLOOD - 1000} as read` }).click()
    await page.getByRole('button', { name: `Yes, mark ${FLOOD - 1000}` }).click()
    await until(async () => (await waiting()).length === before)
    await page.goto(`${at.origin}/inbox?in=answers&entry=flood%2F1`)
    await page.getByText('This entry is closed').waitFor()
    expect(complaints).toEqual([])
  })

  it('a conversation goes on in its thread, shows why an answer waits, and reads what it shows unless it asks back', async () => {
    await enterBy(page, at, 'operator')
    await page.goto(`${at.origin}/beings/kid`)
    const box = page.getByLabel('What you say to @kid')
    await box.fill('First word')
    await page.keyboard.press('Enter')
    const talk = page.getByRole('region', { name: 'Conversation' })
    await talk.locator('.said').filter({ hasText: '@kid → @operator' }).first().waitFor()
    await until(async () => (await ofKid()).length === 0)
    await doAs(at.world, 'pause-being', '@kid', {})
    await page.getByText('paused', { exact: true }).waitFor()
    await page.getByLabel('What you say to @kid').fill('Second word')
    await page.keyboard.press('Enter')
    await talk.getByText('Second word').first().waitFor()
    await talk.getByText(/@kid is paused: it answers once/).waitFor()
    await doAs(at.world, 'resume-being', '@kid', {})
    await until(
      async () => (await talk.locator('.said').filter({ hasText: '@kid → @operator' }).count()) === 2,
    )
    // @kid says what it hears.
    await until(async () => (await ofKid()).length === 0)
    await box.fill('Which one?')
    await page.keyboard.press('Enter')
    await until(async () => (await ofKid()).join() === 'asks-back')
    await until(async () => (await page.title()).startsWith(`(${await needing()}) `))
    await until(async () => (await box.inputValue()) === '')
    await box.fill('That one.')
    await page.keyboard.press('Enter')
    await until(async () => (await ofKid()).length === 0)
    expect(complaints).toEqual([])
  })

  it('stays while the server is away, says so, and goes on', async () => {
    await enterBy(page, at, 'operator')
    await page.goto(`${at.origin}/beings/echo`)
    await page.getByLabel('What you say to @echo').waitFor()
    await at.served.close()
    at.served = { ...at.served, close: async () => undefined } // it is closed
    await page.getByText('The portal does not answer.').waitFor()
    await page.getByLabel('What you say to @echo').waitFor()
    await page.getByRole('link', { name: 'Threads' }).click() // its code is not loaded yet, or is
    await at.serveAnew()
    await page.getByText('The portal does not answer.').waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Threads' }).waitFor()
    await page.getByRole('link', { name: /@echo/ }).first().waitFor()
  })

  it('loads itself anew once for a part of an older build, and not for a pointer over its link', async () => {
    await enterBy(page, at, 'operator')
    let isOld = true
    let loads = 0
    await page.route(/\/assets\/Threads-[^/]*\.js$/, (route) =>
      isOld ? route.fulfill({ status: 404 }) : route.continue(),
    )
    page.on('request', (request) => {
      if (!request.isNavigationRequest()) return
      loads += 1
      isOld = false
    })
    const missing = page.waitForResponse((response) => response.status() === 404)
    const link = page.getByRole('link', { name: 'Threads', exact: true })
    await link.hover()
    await missing
    await page.waitForTimeout(500)
    expect(loads).toBe(0)
    await link.click()
    await page.getByRole('heading', { name: 'Threads' }).waitFor()
    expect(loads).toBe(1)
  })

  it('a page that cannot be drawn says so in our words, beside the navigation', async () => {
    await enterBy(page, at, 'operator')
    await page.route('**/api/v1/lately**', (route) => route.fulfill({ json: { strip: 'broken' } }))
    await page.goto(`${at.origin}/live`)
    await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Threads' }).click()
    await page.getByRole('heading', { name: 'Threads' }).waitFor()
    expect(await page.getByRole('heading', { name: 'This page cannot be shown' }).count()).toBe(0)
  })

  it('works over plain http from another machine', async () => {
    const { port } = new URL(at.origin)
    await at.serveAnew({ hosts: [`${HOST}:${port}`] })
    const origin = `http://${HOST}:${port}`
    await page.goto(`${origin}/welcome#${await at.linkFor('operator')}`)
    expect(await page.evaluate('isSecureContext')).toBe(false)
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.getByRole('button', { name: /Sign in as/ }).click()
    for (const path of ['/inbox', '/beings/echo', '/threads', '/world']) {
      await page.waitForURL((url) => !url.pathname.startsWith('/welcome'))
      await page.goto(`${origin}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    await page.goto(`${origin}/beings/echo`)
    await page.getByLabel('What you say to @echo').fill('From afar')
    await page.keyboard.press('Enter')
    await page.getByText('From afar').first().waitFor()
    // The browser says that it takes this header over https alone.
    expect(complaints.filter((one) => !one.includes('Cross-Origin-Opener-Policy'))).toEqual([])
  })
})
