import { moments, see, summon } from '@treeos/client'
import type { Json } from '@treeos/core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, hasChromium, openBrowser } from '../../support/browser.ts'
import { HOSTILE_TEXT } from '../../support/hostile-text.ts'
import { momentOf, publish as publishSignal, setFlow, setRole, tell, until } from '../../support/life.ts'
import { PASSWORD, PortalWorld } from '../../support/portal.ts'

/** @ada is a person, @kid and @doll are her beings. */
describe.runIf(hasChromium)('roles, flows and signals in a browser', () => {
  let at: PortalWorld
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    at = await PortalWorld.start()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    page = await context.newPage()
    page.setDefaultTimeout(10_000)
    complaints = complaintsOf(page)
  })
  afterEach(() => context.close())

  const enter = async (being = 'ada') => {
    await page.goto(`${at.origin}/welcome#${await at.linkFor(being)}`)
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.getByRole('button', { name: /Sign in as/ }).click()
    await page.getByRole('heading', { name: 'What this is' }).waitFor()
  }
  const go = async (path: string, heading: string | RegExp) => {
    await page.goto(`${at.origin}${path}`)
    await page.getByRole('heading', { name: heading }).first().waitFor()
  }
  const asAda = () => ({ ...at.world, person: 'ada' })
  /** What the being wears when @ada speaks to it. */
  const wears = async (being: string) => {
    const { moment } = await summon(asAda(), {
      target: being,
      content: 'hello',
      as: 'ada',
      waitSeconds: 30,
    }).catch(async () => ({ moment: (await moments(at.world.db, being, 1))[0] }))
    return [moment?.primary, ...(moment?.stacked ?? [])]
  }
  const flowOf = async (being: string): Promise<Json | undefined> =>
    (await see(asAda(), 'ada', `@${being}`)).qualities.roleFlow
  /** A field that is written in. A field with suggestions shares its label with their list. */
  const label = (name: string) =>
    page.getByLabel(name, { exact: true }).and(page.locator('input, textarea, select, [contenteditable]'))
  const role = (n: number) => label(`Sentence ${n}: role`)
  const publish = async () => {
    const publishing = page.waitForResponse((response) => response.url().endsWith('/api/v1/do'))
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await publishing // what the one before said stands there until this one is sent
    await page.getByText(/^Published, with/).waitFor()
  }

  it('a role that is written on the page is worn by the next moment of a being, with no restart', async () => {
    await enter()
    await page.getByRole('link', { name: 'Roles', exact: true }).click()
    await page.getByRole('button', { name: 'New role' }).click()
    await label('Name').fill('Herald')
    await page
      .getByText(/"Herald"/)
      .first()
      .waitFor() // as you type
    expect(await page.getByText('It cannot be published').count()).toBe(1)
    await label('Name').fill('herald')
    await label('Prompt').fill('You announce\nwho comes.')
    await label('May speak to').fill('{"rel":"ask')
    await page.getByRole('option', { name: '{"rel":"asker"}' }).click()
    await label('May do').fill('set-worl')
    await page.getByRole('option', { name: 'set-world-signal' }).click()
    // a warning, with which it can be published
    await page.getByText('after one action the wearer stops').waitFor()
    await page.getByText('kept in this browser only').first().waitFor()
    await page.reload() // the draft stays
    expect(await label('Prompt').inputValue()).toBe('You announce\nwho comes.')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('heading', { name: 'herald', exact: true }).waitFor()
    await page.getByText('written by @ada', { exact: false }).first().waitFor()

    await go('/beings/kid', '@kid')
    await page.getByRole('link', { name: 'its flow' }).click()
    await page.getByRole('button', { name: 'Add a sentence' }).click()
    await role(1).fill('herald')
    await page.keyboard.press('Escape')
    await publish()
    expect(await flowOf('kid')).toEqual([{ role: 'herald' }])
    expect(await wears('kid')).toEqual(['herald'])

    await go('/roles?role=herald', 'herald')
    const users = page.getByRole('region', { name: 'Who uses it' })
    await users.getByText('wore it last').waitFor()
    await users.getByRole('link', { name: '@kid' }).waitFor()
    expect(complaints).toEqual([])
  })

  /**
   * Emptied by the editor itself: where a browser replaces coloured text, it gives the new text a style,
   * which the policy blocks.
   */
  const writeJson = async (text: string) => {
    const editor = label('Role flow as JSON')
    await editor.press('ControlOrMeta+a')
    await editor.press('Delete')
    await editor.fill(text)
  }

  /** Shows the fields of a sentence. */
  const open = (n: number) =>
    page.getByRole('button', { name: new RegExp(`^Sentence ${n}: `), expanded: false }).click()

  it('edits a flow: adds, reorders by buttons and keys, removes, and as raw JSON', async () => {
    for (const name of ['quiet', 'loud'])
      await setRole(at.world, { name, canSummon: [{ rel: 'asker' }], prompt: name })
    await enter()
    await go('/beings/kid/flow', 'Flow of @kid')
    await page.getByRole('button', { name: 'Add a sentence' }).click()
    await role(2).fill('loud')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await label('Sentence 2, condition 1: field').fill('caller.cognition')
    await page.keyboard.press('Escape')
    await label('Sentence 2, condition 1: operator').selectOption('is one of')
    await label('Sentence 2, condition 1: value').fill('human')
    await page.keyboard.press('Enter')
    await page.getByText(/never reached/).waitFor() // the lint: the first sentence always holds
    await page.getByRole('button', { name: 'Move sentence 2 up' }).click()
    await page.getByText('The check finds nothing wrong.').waitFor()
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(
      'Move sentence 1 up',
    )
    await publish()
    const loud = { when: { 'caller.cognition': ['human'] }, role: 'loud' }
    expect(await flowOf('kid')).toEqual([loud, { role: 'herald' }])
    expect(await wears('kid')).toEqual(['loud'])

    // By keys: Alt and an arrow, from any field of the sentence.
    await open(2)
    await role(1).focus()
    await page.keyboard.press('Alt+ArrowDown')
    await until(async () => (await role(1).inputValue()) === 'herald')
    await page.keyboard.press('Alt+ArrowUp')
    await until(async () => (await role(1).inputValue()) === 'loud')
    // By the mouse, onto the upper and the lower half of the other one.
    const sentence = (n: number) => page.getByRole('listitem', { name: `Sentence ${n}` })
    const handle = (n: number) => sentence(n).getByTitle('Drag it to another place')
    await handle(2).dragTo(sentence(1), { targetPosition: { x: 200, y: 8 } })
    await until(async () => (await role(1).inputValue()) === 'herald')
    const { height = 0 } = (await sentence(2).boundingBox()) ?? {}
    await handle(1).dragTo(sentence(2), { targetPosition: { x: 200, y: height - 8 } })
    await until(async () => (await role(1).inputValue()) === 'loud')
    await page.getByRole('button', { name: 'Remove sentence 2' }).click()
    await publish()
    expect(await flowOf('kid')).toEqual([loud])

    const written = [{ or: [{ verb: 'summon' }, { not: { inHomeSpace: true } }] }, {}].map((when) => ({
      when,
      role: 'quiet',
    }))
    await page.getByText('JSON', { exact: true }).click()
    await writeJson('[{ "role": ')
    await page.getByText('This is not JSON').waitFor()
    expect(await page.getByRole('button', { name: 'Publish', exact: true }).isDisabled()).toBe(true)
    await writeJson(JSON.stringify([...written, { role: 'nobody-wrote-it' }]))
    await page.getByText('is not registered').waitFor()
    await writeJson(JSON.stringify(written))
    await page.getByText(/never reached/).waitFor()
    await publish()
    expect(await flowOf('kid')).toEqual(written)
    await page.getByText('Sentences', { exact: true }).click()
    await open(1)
    expect(await wears('kid')).toEqual(['quiet'])
    // `or` and `not` are sentences too, and are changed there.
    expect(await label('Sentence 1, any of 1, condition 1: value').inputValue()).toBe('summon')
    expect(await label('Sentence 1, any of 2, not 1, condition 1: field').inputValue()).toBe('inHomeSpace')
    await page.getByRole('button', { name: 'Remove: Sentence 1, any of 2, not', exact: true }).click()
    await label('Sentence 1, any of 1, condition 1: value').fill('do')
    await page.getByRole('button', { name: 'Remove sentence 2' }).click()
    await publish()
    expect(await flowOf('kid')).toEqual([{ when: { or: [{ verb: 'do' }, {}] }, role: 'quiet' }])
    expect(complaints).toEqual([])
  })

  it('says before publishing which past moments would have been lived otherwise, and restores an older flow', async () => {
    await enter()
    await go('/beings/kid/flow', 'Flow of @kid')
    await page.getByRole('button', { name: 'Compare past moments' }).click()
    const whatIf = page.getByRole('region', { name: 'What if' })
    await whatIf.getByText(/of the last \d+ moments/).waitFor()
    await open(1)
    await role(1).fill('loud')
    await page.keyboard.press('Escape')
    await whatIf.getByText('The draft has changed since').waitFor()
    await page.getByRole('button', { name: 'Compare past moments' }).click()
    await whatIf.getByText('quiet → loud').waitFor()
    const before = (await moments(at.world.db, 'kid')).length
    await page.getByRole('button', { name: 'Discard the draft' }).click()
    expect((await moments(at.world.db, 'kid')).length).toBe(before) // nothing was lived for it

    const versions = page.getByRole('region', { name: 'Versions' })
    await versions.getByRole('button', { name: 'Compare' }).first().click()
    await versions.locator('[data-kind=added]').first().waitFor()
    await versions.getByRole('button', { name: 'Restore' }).nth(1).click() // of two before the one in force
    await page.getByText(/^Published, with 1 sentence/).waitFor()
    expect(await flowOf('kid')).toEqual([{ when: { 'caller.cognition': ['human'] }, role: 'loud' }])
    expect(complaints).toEqual([])
  })

  it('a flow is a column of clauses with the moments in which each held, and a tried draft moves them', async () => {
    const flow = [
      { when: { 'world.porch.open': true }, role: 'loud' },
      { stack: true, when: { verb: 'summon' }, role: 'quiet' },
    ]
    for (const name of ['quiet', 'loud'])
      await setRole(at.world, { name, canSummon: [{ rel: 'asker' }], prompt: name })
    await at.world.birth({ name: 'porter', cognition: 'scripted', script: 'echo', role: 'resident' })
    await setFlow(at.world, 'porter', flow)
    await momentOf(at.world, await tell(at.world, 'porter', 'Who is there?'))
    await publishSignal(at.world, 'porch.open', true)
    await momentOf(at.world, await tell(at.world, 'porter', 'And now?'))
    const lived = await moments(at.world.db, 'porter')
    const last = lived.at(-1)?.n ?? 0
    await enter('operator')
    await go('/beings/porter/flow', 'Flow of @porter')
    const marks = (of: string) =>
      page.getByRole('list', { name: `Moments of ${of}`, exact: true }).getByRole('link')
    await marks('sentence 1').first().waitFor()
    const clause = (n: number) => page.getByRole('listitem', { name: `Sentence ${n}`, exact: true })
    await clause(1).getByText('primary now').waitFor()
    await clause(2).getByText('stacked now').waitFor()
    expect(await marks('sentence 1').first().textContent()).toBe(`moment ${last}`)
    expect(await marks('sentence 2').count()).toBe(
      lived.filter(({ stacked }) => stacked.includes('quiet')).length,
    )
    expect(await marks('the default role').last().textContent()).toBe('moment 1')

    // By keys alone: opened, changed, tried, and a mark followed.
    await clause(1)
      .getByRole('button', { name: /^Sentence 1: WHEN world.porch.open is true USE loud/ })
      .focus()
    await page.keyboard.press('Enter')
    await label('Sentence 1, condition 1: operator').selectOption('is not')
    await page.getByRole('button', { name: 'Compare past moments' }).focus()
    await page.keyboard.press('Enter')
    await clause(1).getByText('−').first().waitFor()
    expect(await marks('sentence 1').allTextContents()).toEqual(
      expect.arrayContaining([`moment −${last}, not under the draft`, 'moment +1, only under the draft']),
    )
    await marks('sentence 1').filter({ hasText: '+1' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Moment 1', exact: true }).waitFor()
    expect(complaints).toEqual([])
  })

  it('refuses to delete a role that is used, lists its users, then obeys force; and a version brings it back', async () => {
    await enter()
    await go('/roles', 'Roles')
    await page.getByRole('button', { name: 'New role' }).click()
    await label('Name').fill('crier')
    await label('Prompt').fill('Cry.')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await label('Prompt').fill('Cry out loud.')
    await page.locator('[data-kind=added]').getByText('Cry out loud.').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()

    await go('/beings/kid/flow', 'Flow of @kid')
    await open(1)
    await role(1).fill('crier')
    await page.keyboard.press('Escape')
    await publish()

    await go('/roles?role=crier', 'crier')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete crier' }).click()
    const refusal = page.getByRole('alert')
    await refusal.getByText(/role crier is named by @kid; change their flows first/).waitFor()
    await refusal.getByRole('link', { name: 'The refused moment' }).waitFor()
    complaints = complaints.filter((one) => !/^409 |status of 409/.test(one)) // a browser logs each refusal
    await page.getByRole('button', { name: 'Delete it all the same' }).click()
    await page.getByText('This role is deleted').waitFor()

    const versions = page.getByRole('region', { name: 'Versions' })
    await versions.getByRole('button', { name: 'Restore' }).first().click()
    await page.getByRole('region', { name: 'The role' }).getByText('Cry out loud.').waitFor()
    expect(complaints).toEqual([])

    await go('/roles?role=resident', 'resident') // part of the code: neither edited nor deleted
    await page.getByRole('button', { name: 'Copy as a new role' }).waitFor()
    expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0)
  })

  it('shows the catalogs to who may see the role-manager, and tells others why it does not', async () => {
    await enter()
    await go('/roles', 'Roles')
    const list = page.getByRole('navigation', { name: 'Roles' })
    for (const [name, origin] of [
      ['operator', 'seed'],
      ['stage:free', 'stage'],
      ['herald', 'live'],
    ] as const)
      expect(await list.getByRole('link', { name: new RegExp(`^${name} `) }).textContent()).toContain(origin)
    await label('Search roles').fill('stage seer')
    await until(async () => (await list.getByRole('link').count()) === 1)
    await list.getByRole('link').click()
    await page.getByText('You watch the board.').waitFor()
    await go('/roles?edit=true', 'New role')
    for (const [field, offered] of [
      ['May see', '/library'],
      ['May do', 'delete-role'],
      ['May be', 'birth'],
      ['Is shown', 'stage:board'],
    ] as const) {
      await label(field).fill(offered)
      await page.getByRole('option', { name: offered, exact: true }).waitFor()
      await label(field).fill('')
    }
    expect(complaints).toEqual([])
    await enter('bob')
    await page.goto(`${at.origin}/roles`)
    await page.getByText('This cannot be shown').waitFor()
    await page.getByText(/@role-manager/).waitFor()
  })

  it('publishes a signal, and beings whose flows read it react; a refusal names the rule', async () => {
    await enter()
    await go('/beings/kid/flow', 'Flow of @kid')
    await page.getByText('JSON', { exact: true }).click()
    const flow = [{ when: { 'world.hall.hush': true }, role: 'quiet' }, { role: 'loud' }]
    await writeJson(JSON.stringify(flow))
    await page.getByText('nobody publishes world.hall.hush').waitFor()
    await publish()
    await page.getByRole('link', { name: 'Signals' }).click()
    await label('Namespace').fill('hall')
    await page.keyboard.press('Escape')
    await label('Key').fill('hush')
    await label('Value').fill('true')
    const n = (await moments(at.world.db, 'kid')).length
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('status').getByText('Published').waitFor()
    await page.getByRole('region', { name: 'Signals of hall' }).getByText('world.hall.hush').waitFor()
    const [reaction] = await until(async () => {
      const all = await moments(at.world.db, 'kid')
      return all.length > n ? all.slice(-1) : null
    })
    expect(reaction).toMatchObject({ primary: 'quiet', woke: { trigger: 'change', from: '@ada' } })
    await go(`/beings/kid?n=${reaction?.n}`, `Moment ${reaction?.n}`)
    await page.getByText('quiet').filter({ visible: true }).first().waitFor()
    expect(complaints).toEqual([])

    await go('/signals', 'Signals')
    await label('Namespace').fill('stage')
    await page.keyboard.press('Escape')
    await label('Key').fill('dark')
    await label('Value').fill('1')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/@ada may not publish in stage: it belongs to @operator/)
      .waitFor()
    await page.getByRole('alert').getByRole('link', { name: 'The refused moment' }).click()
    await page.getByText('refused by').waitFor()
  })

  it('hostile texts of roles, flows and signals run nothing and hide nothing', async () => {
    await setRole(at.world, {
      name: 'hostile',
      description: HOSTILE_TEXT,
      prompt: HOSTILE_TEXT,
      canSee: [HOSTILE_TEXT.replaceAll('*', '')], // no name has a star
      canSummon: [{ rel: 'asker' }],
    })
    const flow = [{ when: { 'me.quality.x.y': HOSTILE_TEXT }, role: 'hostile' }]
    const call = (operation: string, target: string, args: object) => ({
      verb: 'do',
      operation,
      target,
      args,
    })
    const seat = await at.enter('operator')
    for (const one of [
      call('set-roleflow', '@echo', { flow }),
      call('set-world-signal', '/', { namespace: 'evil', key: 'text', value: HOSTILE_TEXT }),
    ])
      expect((await at.perform(seat, one)).status).toBe(200)
    await enter('operator')
    for (const path of ['/roles?role=hostile', '/signals']) {
      await page.goto(`${at.origin}${path}`)
      await page.getByText('<script>alert(1)</script>').first().waitFor()
      expect(await page.getByText('U+202E').count(), path).toBeGreaterThan(0)
    }
    await go('/roles?role=hostile&edit=true', /Edit hostile/)
    await page.getByText(/invisible characters/).waitFor()
    await go('/beings/echo/flow', 'Flow of @echo')
    await open(1)
    await page.getByText(/4 invisible characters: U\+202E/).waitFor()
    await page.getByText('JSON', { exact: true }).click()
    await page.locator('.cm-specialChar').first().waitFor()
    expect(await page.locator('#root script, #root iframe, #root svg a').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it.each([
    [1440, 900],
    [390, 844],
  ])('at %i × %i no page is wider than the window', async (width, height) => {
    await page.setViewportSize({ width, height })
    await enter('operator')
    for (const path of [
      '/roles',
      '/roles?role=hostile',
      '/roles?role=herald&edit=true',
      '/beings/kid/flow',
      '/signals',
    ]) {
      await page.goto(`${at.origin}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await until(async () => (await page.locator('[aria-busy=true]').count()) === 0)
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width)
      for (const scheme of ['light', 'dark'] as const) await shoot(path, width, scheme)
    }
    expect(complaints).toEqual([])
  })

  /** Pictures for who looks at them: `TREEOS_SHOTS` names a folder. */
  const shoot = async (path: string, width: number, scheme: 'light' | 'dark') => {
    const folder = process.env.TREEOS_SHOTS
    if (folder === undefined) return
    await page.emulateMedia({ colorScheme: scheme })
    const name = path.replace(/\W+/g, '-').replace(/^-/, '')
    await page.screenshot({ path: `${folder}/${name}-${width}-${scheme}.png`, fullPage: true })
  }
})
