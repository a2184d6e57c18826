import { summon } from '@treeos/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { HOSTILE_TEXT } from '../../support/hostile-text.ts'
import { askedFor, momentOf, tell, until } from '../../support/life.ts'
import { piecesOf } from '../../support/model-server.ts'
import { PortalWorld } from '../../support/portal.ts'
import { useModelServer } from '../../support/use-world.ts'

describe.runIf(hasChromium)('a being at work', () => {
  const model = useModelServer()
  let at: PortalWorld
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    at = await PortalWorld.start({ modelUrl: model.url })
    await at.world.birth({ name: 'poet', cognition: 'llm', role: 'resident' })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    page = await context.newPage()
    complaints = complaintsOf(page)
    await enterBy(page, at, 'operator')
  })
  afterEach(() => context.close())

  /** The model writes its first pieces, and the rest once it is let through. */
  function writes(content: string, pieces: number) {
    const gate = Promise.withResolvers<void>()
    const before = (piece: number) => (piece === pieces ? gate.promise : undefined)
    model.script([
      { content: 'A thought first.', tool: { name: 'summon', args: { content } }, streamed: { before } },
    ])
    return gate
  }
  const card = () => page.getByRole('region', { name: '@poet writes' })
  /** The page hears the words from when its stream brings them. */
  const streaming = () =>
    page.waitForResponse((response) => new URL(response.url()).pathname === '/api/live/streamed')

  it('shows what its model writes while it writes it, on its page and in its thread, and nothing of it afterwards', async () => {
    const held = streaming()
    await page.goto(`${at.origin}/beings/poet`)
    await held
    const gate = writes('Roses are red.', 6)
    const wake = await tell(at.world, 'poet', 'a poem')
    await card().getByText('A thought first.').waitFor()
    await card().getByText('Ro', { exact: true }).waitFor() // words, and no JSON
    expect(await card().textContent()).not.toContain('content')
    const heldAgain = streaming()
    await page.goto(`${at.origin}/threads/${wake}`)
    await heldAgain
    gate.resolve()
    await momentOf(at.world, wake)
    await page.getByText('Roses are red.', { exact: true }).waitFor()
    expect(await card().count()).toBe(0)
    // The next moment of the same thread is heard by the thread's page.
    const next = writes('Violets are blue.', 5)
    const request = { target: 'poet', content: 'more', as: 'operator', thread: wake, waitSeconds: null }
    await summon(at.world, request)
    await card().getByText('A thought first.').waitFor()
    next.resolve()
    await page.getByText('Violets are blue.', { exact: true }).waitFor()
    expect(complaints).toEqual([])
  })

  it('hostile words run nothing, and show what they would hide', async () => {
    const held = streaming()
    await page.goto(`${at.origin}/beings/poet`)
    await held
    const gate = Promise.withResolvers<void>()
    const shown = piecesOf(HOSTILE_TEXT).length
    let isHeld = false
    const before = (piece: number) => {
      if (piece < shown) return undefined
      isHeld = true
      return gate.promise
    }
    model.script([{ content: `${HOSTILE_TEXT}\nIt ends.`, streamed: { before } }])
    const wake = await tell(at.world, 'poet', 'go on')
    await until(() => askedFor(model, 'poet').length > 2)
    expect(askedFor(model, 'poet').map(({ stream }) => stream)).toEqual([true, true, true])
    await card().getByText('<script>alert(1)</script>').waitFor()
    await card().getByText('U+0007').waitFor()
    expect(await card().locator('.unseen').allTextContents()).toEqual([
      'U+202E',
      'U+200B',
      'U+E0041',
      'U+0007',
    ])
    expect(isHeld).toBe(true)
    gate.resolve()
    await momentOf(at.world, wake)
    expect(complaints).toEqual([])
  })

  it('asks again for the words when the server did not take it', async () => {
    let asked = 0
    await page.route('**/api/live/streamed', (route) => {
      asked += 1
      return asked === 1 ? route.fulfill({ status: 503 }) : route.continue()
    })
    const held = page.waitForResponse(
      (response) => response.url().endsWith('/api/live/streamed') && response.ok(),
    )
    await page.goto(`${at.origin}/beings/poet`)
    await held
    const gate = writes('Sugar is sweet.', 6)
    const wake = await tell(at.world, 'poet', 'once more')
    await card().getByText('A thought first.').waitFor()
    gate.resolve()
    await momentOf(at.world, wake)
    expect(complaints.filter((complaint) => !complaint.includes('503'))).toEqual([])
  })

  it('its call is cancelled, and it is paused and resumed', async () => {
    await page.goto(`${at.origin}/beings/poet`)
    const gate = Promise.withResolvers<void>()
    model.script(async () => {
      await gate.promise
      return undefined
    })
    const wake = await tell(at.world, 'poet', 'go on')
    await page.getByRole('button', { name: 'Cancel its call' }).click()
    await page.getByText(/^moment \d+ ends as cancelled$/).waitFor()
    expect(await momentOf(at.world, wake)).toMatchObject({ outcome: 'failure', reason: 'CANCELLED' })
    gate.resolve()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('paused', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    expect(await page.getByText('paused', { exact: true }).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
