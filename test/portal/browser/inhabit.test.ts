import { act, inbox, moments, summon } from '@treeos/client'
import lineage from '@treeos/lineage'
import { readRows } from '@treeos/store'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, hasChromium, openBrowser } from '../../support/browser.ts'
import { askedFor, rowOf, until } from '../../support/life.ts'
import { type ModelServer, startModelServer } from '../../support/model-server.ts'
import { PASSWORD, PortalWorld } from '../../support/portal.ts'
import { doIn, publishBell, setFlow, writeRole } from './ritual.ts'

const FLOW = [{ when: { 'world.school.bell': true }, role: 'herald' }]

describe.runIf(hasChromium)('inhabiting and acting in a browser', () => {
  let at: PortalWorld
  let model: ModelServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    model = await startModelServer()
    at = await PortalWorld.start({ extensions: [lineage], modelUrl: model.url })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
    await model?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    page = await context.newPage()
    complaints = complaintsOf(page)
  })
  afterEach(async () => {
    await context.close()
    model.reset()
  })

  const enter = async (being = 'operator', on = page) => {
    await on.goto(`${at.origin}/welcome#${await at.linkFor(being)}`)
    await on.locator('input[type=password]').fill(PASSWORD)
    await on.getByRole('button', { name: /Sign in as/ }).click()
    await on.getByRole('heading', { name: 'What this is' }).waitFor()
  }
  const isFree = (being: string, seconds = 15) =>
    until(async () => (await rowOf(at.world, being)).inhabited?.by == null, {
      seconds,
      what: `${being} freed`,
    })
  /** Opens the page of a being and inhabits it from there. */
  const inhabit = async (name: string): Promise<Page> => {
    await page.goto(`${at.origin}/beings/${name}`)
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Inhabit (new tab)' }).click()
    const tab = await opened
    await tab.waitForURL('**/do') // where one speaks and acts
    await banner(tab).getByText(`@${name}`).waitFor()
    return tab
  }
  const banner = (tab: Page) => tab.getByRole('region', { name: 'Inhabiting' })

  it('the whole ritual: birth, inhabit in a new tab, configure as the child, close the tab, it lives by its flow', async () => {
    await enter()
    // 1 Birth
    await page.getByRole('link', { name: 'Birther', exact: true }).click()
    await page.getByLabel('Name').fill('ann')
    await page.getByRole('button', { name: 'Give birth' }).click()
    await page.getByText('was born.').waitFor()
    expect(await rowOf(at.world, 'ann')).toMatchObject({
      parent: 'operator',
      cognition: { kind: 'llm' },
      defaultRole: 'citizen',
    })

    // 2 Inhabit, in a new tab
    const tab = await inhabit('ann')
    const said = complaintsOf(tab)
    await banner(tab).getByText('@operator').waitFor()
    await banner(tab).getByText('until').waitFor()
    await page.getByText('driven by @operator').waitFor()
    const calls = askedFor(model, 'ann').length
    const question = { target: 'ann', content: 'What now?', as: 'operator', waitSeconds: null }
    await summon(at.world, question)

    // 3 Configure from inside, by its own pages: a role, a signal, its own flow. Nobody writes JSON.
    await writeRole(tab)
    await publishBell(tab)
    await setFlow(tab)
    expect((await rowOf(at.world, 'ann')).qualities.roleFlow).toEqual(FLOW)
    // Its own pages show it to itself, although its lists do not hold it.
    await tab.goto(`${at.origin}/beings/ann`)
    await tab
      .getByRole('link', { name: /set-roleflow/ })
      .first()
      .waitFor()
    expect(said).toEqual([])
    await tab.goto(`${at.origin}/beings/ann/flow`)
    await tab.getByRole('button', { name: /^Sentence 1: / }).click()
    const worn = tab.getByLabel('Sentence 1: role', { exact: true }).and(tab.locator('input'))
    await until(async () => (await worn.inputValue()) === 'herald')
    await tab.getByText('Roles are not offered here').waitFor()
    // The bell has rung, so it wears the role that it wrote, which sees nothing: its maker reads what it
    // wrote.
    await page.goto(`${at.origin}/roles?role=herald`)
    await page.getByRole('region', { name: 'The role' }).getByText('The bell rings.').waitFor()
    await page.goto(`${at.origin}/signals`)
    await page.getByRole('region', { name: 'Signals of school' }).waitFor()
    await banner(tab).getByText('@ann').waitFor() // on every page, also after it was loaded again
    expect(askedFor(model, 'ann')).toHaveLength(calls)
    expect(said.filter((line) => /^[45]\d\d /.test(line))).toEqual(['403 /api/v1/roles'])

    // 4 Release: by closing the tab
    await tab.close({ runBeforeUnload: true })
    await isFree('ann')
    const lived = await until(async () => {
      const last = (await moments(at.world.db, 'ann')).at(-1)
      return last?.woke?.what === 'What now?' || last?.primary === 'herald' ? last : null
    })
    expect(lived).toMatchObject({ primary: 'herald', outcome: 'act' })
    expect(askedFor(model, 'ann').at(-1)?.messages[0]?.content).toContain('The bell rings.')
    await page.goto(`${at.origin}/beings/ann?n=${lived.n}`)
    await page
      .getByRole('region', { name: 'What it wore' })
      .getByText('herald', { exact: true })
      .first()
      .waitFor()

    // All of it is the child's work, and the record names the driver.
    const [role, signal] = await readRows(at.world.db, at.world.reality.id, ['role:herald', 'world:school'])
    expect(role?.state).toMatchObject({ author: 'ann', origin: 'live' })
    expect(signal?.state).toMatchObject({ owner: 'ann' })
    const driven = (await moments(at.world.db, 'ann')).filter(({ driver }) => driver === '@operator')
    expect(driven.length).toBeGreaterThanOrEqual(3)
    expect(complaints).toEqual([])
  })

  it('a name that is taken is refused on the page, with the rule', async () => {
    await enter()
    await page.goto(`${at.origin}/birth`)
    await page.getByLabel('Name').fill('echo')
    await page.getByRole('button', { name: 'Give birth' }).click()
    await page.getByRole('alert').getByText('the name "echo" is taken in this reality, for ever').waitFor()
  })

  it('a script decides for the child, with a role, a home and a flow; a malformed flow is refused', async () => {
    await enter()
    await page.goto(`${at.origin}/birth`)
    await page.getByLabel('Name').fill('clerk')
    await page.getByText('A script', { exact: true }).click()
    await page.getByRole('combobox', { name: 'Script' }).fill('echo')
    await page.getByRole('combobox', { name: 'Default role' }).fill('resident')
    await page.getByRole('combobox', { name: 'Home' }).fill('/library')
    await page.getByLabel('Role flow, as JSON').fill('[{"role": "librarian"')
    await page.getByRole('button', { name: 'Give birth' }).click()
    await page.getByRole('alert').getByText('the role flow is not JSON').waitFor()
    await page.getByLabel('Role flow, as JSON').fill('[{"role": "librarian"}]')
    await page.getByRole('button', { name: 'Give birth' }).click()
    await page.getByText('was born.').waitFor()
    expect(await rowOf(at.world, 'clerk')).toMatchObject({
      cognition: { kind: 'scripted', script: 'echo' },
      space: '/library',
      qualities: { roleFlow: [{ role: 'librarian' }] },
    })
  })

  it('a child with a profile is spawned, and told something first', async () => {
    await enter()
    await page.goto(`${at.origin}/birth`)
    await page.getByRole('tab', { name: 'A child with a profile' }).click()
    await page.getByLabel('Name').fill('scout')
    await page.getByRole('radio', { name: 'analyst' }).check()
    await page.getByLabel('Specialization').fill('Monitor the market')
    await page.getByLabel('First message').fill('Begin.')
    await page.getByRole('combobox', { name: 'Script' }).fill('lineage:worker')
    await page.getByRole('button', { name: 'Spawn it' }).click()
    await page.getByText('was born.').waitFor()
    expect((await rowOf(at.world, 'scout')).qualities).toMatchObject({ lineage: { role: 'analyst' } })
    await page.getByLabel('Name').fill('scout')
    await page.getByRole('button', { name: 'Spawn it' }).click()
    await page
      .getByRole('alert')
      .getByText(/is taken/)
      .waitFor()
  })

  it('only makers of a being are offered a lease, and can get one', async () => {
    await enter('ada')
    await page.goto(`${at.origin}/beings/operator`)
    await page.getByRole('heading', { name: '@operator' }).waitFor()
    expect(await page.getByRole('link', { name: /Inhabit/ }).count()).toBe(0)
    await page.goto(`${at.origin}/inhabit/echo`)
    await page.getByRole('button', { name: 'Drive @echo from this tab' }).click()
    await page.getByRole('alert').getByText('@echo does not descend from @ada').waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  it('nothing is driven by a link from elsewhere until the person says so', async () => {
    await enter('ada')
    await page.goto(`${at.origin}/inhabit/kid`) // no tab of the portal opened this one
    await page.getByRole('button', { name: 'Drive @kid from this tab' }).waitFor()
    await page.waitForTimeout(500)
    expect((await rowOf(at.world, 'kid')).inhabited?.by ?? null).toBeNull()
    await page.getByRole('button', { name: 'Drive @kid from this tab' }).click()
    await banner(page).getByText('@kid').waitFor()
    await banner(page).getByRole('button', { name: 'Give back' }).click()
    await page.getByRole('heading', { name: '@kid is its own again' }).waitFor()
    await isFree('kid')
    await page.getByRole('button', { name: 'Go on as yourself' }).click()
    await page.getByRole('button', { name: 'Account' }).getByText('@ada').waitFor()
  })

  it('in that tab the pages are the child’s; the other tab goes on as the person', async () => {
    await enter('ada')
    const tab = await inhabit('kid')
    await tab.getByRole('button', { name: 'Account' }).getByText('@kid').waitFor()
    await doIn(tab, 'move', { Target: '/library' })
    expect((await rowOf(at.world, 'kid')).space).toBe('/library')
    expect((await rowOf(at.world, 'ada')).space).toBe('/')
    await page.goto(`${at.origin}/do`)
    await page.getByText('You act as @ada').waitFor()
    await tab.reload() // goes on
    await banner(tab).getByText('@kid').waitFor()
    await tab.waitForTimeout(6_000)
    await banner(tab).getByText('@kid').waitFor()
    await tab.goto(`${at.origin}/overlays`)
    await tab
      .getByRole('alert')
      .getByText(/not a person/)
      .waitFor()
    await tab.close({ runBeforeUnload: true })
    await isFree('kid')
  })

  it('closing the tab that opened it releases', async () => {
    await enter('ada')
    const tab = await inhabit('kid')
    await page.close()
    await tab.getByRole('heading', { name: '@kid is its own again' }).waitFor()
    await isFree('kid')
    await tab.getByText(/The tab of @ada that opened this one was closed/).waitFor()
  })

  it('losing the network past the lease releases, and the tab says so when it is back', async () => {
    await enter('ada')
    const tab = await inhabit('kid')
    await tab.route('**/api/**', (route) => route.abort())
    await isFree('kid', 45)
    await tab.unroute('**/api/**')
    await tab.getByRole('heading', { name: '@kid is its own again' }).waitFor({ timeout: 30_000 })
  })

  it('signing out in the other tab releases', async () => {
    await enter('ada')
    const tab = await inhabit('kid')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor()
    await isFree('kid')
  })

  it('a lease within a lease: a tab of the child drives the grandchild, and ends with the first', async () => {
    await enter()
    const upper = await inhabit('ada')
    await upper.getByText('You act as @ada').waitFor()
    await upper.getByRole('tab', { name: 'Say' }).click()
    await upper.getByRole('combobox', { name: 'Being' }).fill('@echo')
    await upper.keyboard.press('Escape')
    await upper.getByLabel('What you say').fill('Do you hear me?')
    await upper.getByRole('button', { name: 'Say it' }).click()
    await until(async () => (await moments(at.world.db, 'echo')).at(-1)?.woke?.from === '@ada')
    await upper.goto(`${at.origin}/beings/kid`)
    const opened = context.waitForEvent('page')
    await upper.getByRole('link', { name: 'Inhabit (new tab)' }).click()
    const lower = await opened
    await banner(lower).getByText('@kid').waitFor()
    await banner(lower).getByText('@ada').waitFor()
    await banner(upper).getByRole('button', { name: 'Give back' }).click()
    await lower.getByRole('heading', { name: '@kid is its own again' }).waitFor({ timeout: 20_000 })
    await isFree('kid', 30)
    await isFree('ada')
  })

  it('a question to a person is answered from the inbox after the worker was started anew', async () => {
    await enter()
    const asAda = { ...at.world, person: 'ada' }
    await summon(asAda, { target: 'operator', content: 'May I open?', as: 'ada', waitSeconds: null })
    await page.getByRole('link', { name: /Inbox/ }).click()
    await page.getByRole('link', { name: /May I open/ }).waitFor()
    await at.world.stopWorker()
    await at.world.startWorker()
    await page.getByRole('link', { name: /May I open/ }).click()
    await page.getByLabel('Your answer').fill('At noon.')
    await page.getByRole('button', { name: 'Send the answer' }).click()
    await until(async () => (await inbox(asAda, 'ada')).some(({ content }) => content === 'At noon.'))
  })

  it('a being that its budget parked goes on once the person approves it from the inbox', async () => {
    await at.world.birth({ name: 'dear', cognition: 'llm' })
    await act(at.world, 'operator', {
      verb: 'do',
      operation: 'set-budget',
      target: '@dear',
      args: { tokens: 1 },
    })
    await enter()
    await summon(at.world, { target: 'dear', content: 'Think!', as: 'operator', waitSeconds: null })
    await page.goto(`${at.origin}/inbox`)
    const parked = page.getByRole('link', { name: /set-budget on @dear/ })
    await parked.first().click()
    await page.getByLabel('Model tokens').fill('1000000')
    await page.getByRole('button', { name: 'Set the budget' }).click()
    await parked.first().waitFor({ state: 'detached' }) // it needs nobody any more
    await page.getByText('Choose an entry').waitFor()
    await summon(at.world, { target: 'dear', content: 'And now?', as: 'operator', waitSeconds: 30 })
    expect((await moments(at.world.db, 'dear')).at(-1)).toMatchObject({ outcome: 'act' })
  })

  it('an overlay for one call reaches the model, and stays nowhere in the page', async () => {
    const voice = 'Answer as a harbour master would, at length.'
    await at.world.birth({ name: 'sage', cognition: 'llm' })
    await enter()
    await page.goto(`${at.origin}/beings/sage`)
    await page.getByLabel('What you say to @sage').fill('What is new?')
    await page.getByRole('button', { name: 'Thread, overlay and more' }).click()
    await page.getByLabel('Overlay for this call').fill(voice)
    await page.getByRole('button', { name: 'Say it' }).click()
    await page.getByText('Its overlay was sent and is kept nowhere').waitFor()
    expect(await page.getByLabel('Overlay for this call').inputValue()).toBe('')
    const kept = await page.evaluate<string>(
      'JSON.stringify([localStorage, sessionStorage, document.body.innerHTML])',
    )
    expect(kept).not.toContain('harbour master')
    await until(() => JSON.stringify(askedFor(model, 'sage')).includes('harbour master'))
    await page.getByRole('link', { name: 'moment 1: acted' }).waitFor() // what became of it shows by itself
    await page.getByRole('link', { name: 'Follow it in its thread' }).click()
    await page.waitForURL('**/threads/*')
    await page.getByText('What is new?').first().waitFor()
  })

  it('overlays are stored, changed and deleted; a thread gets one, and is cut', async () => {
    await enter()
    await page.getByRole('link', { name: 'Overlays' }).click()
    await page.getByText('No overlay is stored').waitFor()
    await page.getByRole('button', { name: 'Set an overlay' }).click()
    await page.getByLabel('Name').fill('voice')
    await page.getByLabel('Text').fill('Speak plainly.')
    await page.getByRole('button', { name: 'Store it' }).click()
    const one = page.getByRole('region', { name: 'Overlay voice' })
    await one.getByText('Speak plainly.').waitFor()
    await one.getByRole('button', { name: 'Change' }).click()
    await page.getByLabel('Text').fill('Speak briefly.')
    await page.getByRole('button', { name: 'Store it' }).click()
    await one.getByText('Speak briefly.').waitFor()
    await one.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No overlay is stored').waitFor()

    const { correlation } = await summon(at.world, {
      target: 'ada',
      content: 'Shall we?',
      as: 'operator',
      waitSeconds: null,
    })
    await page.goto(`${at.origin}/threads/${correlation}`)
    await page.getByRole('button', { name: 'Overlay of this thread' }).click()
    await page.getByLabel('How models are to approach its next moments').fill('Be critical.')
    await page.getByRole('button', { name: 'Set it' }).click()
    await page.getByText(/It was set by @operator/).waitFor()
    await page.getByRole('button', { name: 'Take it away' }).click()
    await page.getByText(/It was taken away by @operator/).waitFor()
    await page.getByRole('button', { name: 'Cut this thread' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cut this thread' }).click()
    await page.getByText('severed').waitFor()
    expect(complaints).toEqual([])
  })

  it('what a form sends is what its operation takes; a refusal shows its rule', async () => {
    await enter('bob')
    await page.goto(`${at.origin}/do`)
    await page.getByRole('combobox', { name: 'Operation' }).fill('create-space')
    await page.getByLabel('Arguments, as JSON').fill('{"path": "/mine"}')
    await page.getByRole('button', { name: 'Do it' }).click()
    await page
      .getByRole('alert')
      .getByText(/create-space is not in canDo/)
      .waitFor()
    await page.getByRole('tab', { name: 'See' }).click()
    await page.getByLabel('Address').fill('/library')
    await page.getByRole('button', { name: 'Look' }).click()
    await page.getByRole('status').getByText('"/library"').first().waitFor()
  })

  it.each([
    [1440, 900],
    [390, 844],
  ])('at %i × %i no page is wider than the window', async (width, height) => {
    await page.setViewportSize({ width, height })
    await enter('ada')
    const tab = await inhabit('kid')
    await tab.setViewportSize({ width, height })
    for (const [on, path] of [
      ...['/do', '/birth', '/overlays', '/beings/kid', '/threads'].map((path) => [page, path] as const),
      ...['/do', '/birth', '/beings/kid', '/world'].map((path) => [tab, path] as const),
    ]) {
      await on.bringToFront()
      await on.goto(`${at.origin}${path}`)
      await on.getByRole('heading', { level: 1 }).waitFor()
      await on.waitForTimeout(300)
      expect(await on.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width)
      const shots = process.env.TREEOS_SHOTS
      if (shots !== undefined)
        for (const scheme of ['light', 'dark'] as const) {
          await on.emulateMedia({ colorScheme: scheme })
          await on.waitForTimeout(600)
          await on.screenshot({
            path: `${shots}/${on === tab ? 'tab' : 'own'}${path.replaceAll('/', '-')}-${width}-${scheme}.png`,
          })
        }
    }
    await tab.close({ runBeforeUnload: true })
    await isFree('kid')
  })
})
