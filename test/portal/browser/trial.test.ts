import { act, inspectRole, moments, summon } from '@treeos/client'
import { checkTrial } from '@treeos/trials'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, hasChromium, openBrowser } from '../../support/browser.ts'
import { type ModelServer, startModelServer } from '../../support/model-server.ts'
import { PASSWORD, PortalWorld } from '../../support/portal.ts'

const HOST = { name: 'host', canSummon: [{ rel: 'asker' }], prompt: 'You greet.' }

/** @guide is a being of @ada with a model, which sings where its role tells it to. */
describe.runIf(hasChromium)('trying a role in a browser', () => {
  let at: PortalWorld
  let model: ModelServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  const asAda = () => ({ ...at.world, person: 'ada' })
  beforeAll(async () => {
    model = await startModelServer()
    model.script(({ messages }) => {
      const isSinging = messages.some(({ content }) => content.includes('You sing.'))
      return { tool: { name: 'summon', args: { content: isSinging ? 'la la la' : 'good day' } } }
    })
    at = await PortalWorld.start({ modelUrl: model.url })
    await act(asAda(), 'ada', { verb: 'do', operation: 'set-role', target: '/', args: { role: HOST } })
    const guide = { name: 'guide', cognition: 'llm', role: 'host' }
    await act(asAda(), 'ada', { verb: 'be', operation: 'birth', args: guide })
    for (const content of ['hello', 'who is there?'])
      await summon(asAda(), { target: 'guide', content, as: 'ada', waitSeconds: 30 })
    browser = await openBrowser()
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    page = await context.newPage()
    page.setDefaultTimeout(10_000)
    complaints = complaintsOf(page)
    await page.goto(`${at.origin}/welcome#${await at.linkFor('ada')}`)
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.getByRole('button', { name: /Sign in as/ }).click()
    await page.getByRole('heading', { name: 'What this is' }).waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
    await model?.close()
  })

  const trying = () => page.getByRole('region', { name: 'Try it' })

  it('a role is changed, tried over past moments, saved as a file, and published with its trial', async () => {
    await page.goto(`${at.origin}/roles?role=host`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Prompt').fill('You sing.')
    await trying().getByRole('button', { name: 'What would it cost?' }).click()
    await trying()
      .getByText(/^2 moments: up to 2 calls of a model/)
      .waitFor()
    const asked = model.requests.length
    await trying().getByRole('button', { name: 'Ask again now' }).click()
    await trying()
      .getByText('Of 2 past moments 0 decided the same, 2 otherwise: none refused, asked about or failed.')
      .waitFor()
    expect(model.requests.length).toBe(asked + 2)
    const [first] = await trying().getByRole('listitem').all()
    expect(await first?.textContent()).toMatch(/hello[\s\S]*good day[\s\S]*la la la/)

    // The file runs again, and comes to the same.
    const saved = await trying().getByRole('link', { name: 'Save as a file' }).getAttribute('href')
    const read = checkTrial(JSON.parse(decodeURIComponent(saved?.split(',').slice(1).join(',') ?? '')))
    if ('fault' in read) throw new Error(JSON.stringify(read.fault))
    const { run } = await at.portal.machine.trials.prepare(read.value)
    const { draft } = (await run({})).candidates
    expect(draft).toMatchObject({ moments: 2, same: 0, differs: 1, refused: 0 })

    await trying().getByRole('button', { name: 'Publish it with this trial' }).click()
    await page.getByText('It is published with its trial.').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('region', { name: 'Versions' }).getByText('Tried before.').waitFor()
    const { versions } = await inspectRole(asAda(), 'ada', 'host')
    expect(versions.map(({ trial }) => trial?.moments ?? null)).toEqual([2, null])
    expect(complaints).toEqual([])
  })

  it('a moment of a case is asked again with other words of its role, by two presses', async () => {
    const [, second] = await moments(at.world.db, 'guide')
    await page.goto(`${at.origin}/threads/${second?.woke?.thread}?of=guide&n=2`)
    await page.getByRole('button', { name: 'Try it otherwise' }).click()
    await page.getByLabel('What host tells it').fill('You sing. Loudly.')
    const again = page.getByRole('region', { name: 'Ask this moment again' })
    await again.getByRole('button', { name: 'What would it cost?' }).click()
    await again.getByText(/^1 moment: up to 1 call of a model/).waitFor()
    await again.getByRole('button', { name: 'Ask again now' }).click()
    await again.getByText(/^Of 1 past moment 0 decided the same, 1 otherwise/).waitFor()
    expect(await again.getByRole('listitem').textContent()).toMatch(/who is there\?/)
    expect(complaints).toEqual([])
  })

  it('a flow that would be refused says so, and another model of a being is chosen on the same page', async () => {
    await page.goto(`${at.origin}/beings/guide/flow`)
    await page.getByRole('region', { name: 'Its model' }).waitFor()
    await page.getByRole('button', { name: 'Add a sentence' }).click()
    await page
      .getByLabel('Sentence 1: role', { exact: true })
      .and(page.locator('input'))
      .fill('nobody-wrote-it')
    await page.keyboard.press('Escape')
    await page.getByText('is not registered').waitFor()
    expect(await trying().getByRole('button', { name: 'What would it cost?' }).isDisabled()).toBe(true)
    expect(complaints).toEqual([])
  })
})
