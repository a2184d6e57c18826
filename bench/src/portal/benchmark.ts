import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Client, Connection } from '@temporalio/client'
import { retrace } from '@treeos/client'
import { buildPage, makeLink, migratePortal, PAGE_FOLDER, portalOf, servePortal } from '@treeos/portal'
import { listenToJournal } from '@treeos/store'
import { buildRegistry, OPERATOR, seed } from '@treeos/world'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { describeMachine } from '../machine.ts'
import { type Services, withServices } from '../services.ts'
import { median, round, spread } from '../statistics.ts'
import { BUSY, type Crowd, seedCrowd } from './seed.ts'

export interface PortalOptions {
  readonly size: 'small' | 'full'
  readonly beings: number | undefined
  readonly onProgress: (line: string) => void
}

const CROWDS: Readonly<Record<PortalOptions['size'], Crowd>> = {
  small: { beings: 500, moments: 5_000, entries: 200 },
  full: { beings: 10_000, moments: 100_000, entries: 200 },
}
const CHROMIUM = process.env.TREEOS_CHROMIUM ?? '/usr/bin/chromium'
const LOADS = 5
const STEPS = 40
const SCROLL_MS = 3_000
const RECORD_PAGE = 2_000
const INBOX_ROW = '.many > .slot .row'
const PASSWORD = 'correct horse battery'

/**
 * The portal of a reality with many beings and a long record, in Chromium without a screen, on one machine
 * with its services.
 */
export function benchPortal({ size, beings, onProgress }: PortalOptions) {
  const crowd = { ...CROWDS[size], ...(beings === undefined ? {} : { beings }) }
  return withServices(onProgress, async (services) => {
    onProgress(`making ${crowd.beings} beings and ${crowd.moments} moments`)
    const { origin, link, readPage } = await serve(services, crowd, onProgress)
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--headless', '--no-sandbox', '--disable-gpu'],
    })
    services.atEnd(() => browser.close())
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    await signIn(context, link)
    onProgress('loading pages')
    const world = await loads(context, `${origin}/world?at=/`, '.many > .slot', '.map-mark')
    const being = await loads(context, `${origin}/beings/${BUSY}`, '.many > .slot', '.many > .slot')
    const inbox = await loads(context, `${origin}/inbox`, INBOX_ROW, INBOX_ROW)
    onProgress('scrolling')
    const worldScroll = await scrolls(context, `${origin}/world?at=/`)
    const beingScroll = await scrolls(context, `${origin}/beings/${BUSY}`)
    const inboxScroll = await scrolls(context, `${origin}/inbox`)
    onProgress('opening entries')
    const openMs = await opens(context, `${origin}/inbox`)
    onProgress('replaying')
    const replay = await replays(context, `${origin}/replay?in=/`)
    return {
      benchmark: 'portal',
      at: new Date().toISOString(),
      machine: describeMachine(),
      crowd,
      bundle: bundle(),
      world: { ...world, scroll: worldScroll },
      being: { ...being, scroll: beingScroll },
      inbox: { ...inbox, scroll: inboxScroll, openMs },
      replay: { ...replay, pageMs: await readPage() },
    }
  })
}

async function serve(services: Services, crowd: Crowd, onProgress: (line: string) => void) {
  const url = await services.createDatabase('portal')
  const { owner, reality } = await seedCrowd(url, crowd)
  services.atEnd(() => owner.destroy())
  await migratePortal(owner)
  await buildPage(onProgress)
  const connection = await Connection.connect(services.temporal.options)
  services.atEnd(() => connection.close())
  const listener = listenToJournal(url)
  services.atEnd(() => listener.close())
  const temporal = new Client({ connection, namespace: services.temporal.namespace })
  const at = { db: owner, temporal, reality, registry: buildRegistry([seed]) }
  const none = () => Promise.reject(new Error('the benchmark does not ask for this'))
  const served = await servePortal(
    {
      at,
      store: portalOf(owner),
      listener,
      temporal: { ui: null, namespace: 'default' },
      machine: {
        replay: none,
        checkpoint: async () => null,
        cosigned: async () => null,
        health: none,
        receipts: none,
        currency: () => null,
        metrics: none,
        trials: { callsPerHour: 0, models: none, prepare: none },
        tools: { list: none, check: none, add: none, accept: none, remove: none },
        extensions: none,
      },
      provider: null,
      onError: (where, error) => onProgress(`${where}: ${error}`),
    },
    { port: 0 },
  )
  services.atEnd(() => served.close())
  const link = `${served.url}/welcome#${await makeLink(portalOf(owner), OPERATOR)}`
  /** Time of one page of the record at its beginning, in its middle and at its end, in ms. */
  const readPage = async () => {
    const times: number[] = []
    for (const after of [0, crowd.moments / 2, crowd.moments - RECORD_PAGE]) {
      const began = performance.now()
      await retrace(at, OPERATOR, { after: Math.max(0, after), limit: RECORD_PAGE })
      times.push(round(performance.now() - began))
    }
    return { first: times[0], middle: times[1], last: times[2] }
  }
  return { origin: served.url, link, readPage }
}

async function signIn(context: BrowserContext, link: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(link)
  await page.locator('input[type=password]').fill(PASSWORD)
  await page.getByRole('button', { name: /Sign in as/ }).click()
  await page.waitForURL(({ pathname }) => !pathname.startsWith('/welcome'))
  await page.close()
}

/**
 * Loads a page several times, each in a new tab. Interactive: both things are drawn and the next frame came,
 * so that the page answers.
 */
async function loads(context: BrowserContext, url: string, first: string, second: string) {
  const paints: number[] = []
  const interactive: number[] = []
  let elements = 0
  for (let i = 0; i < LOADS; i++) {
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'commit' })
    await page.locator(first).first().waitFor()
    await page.locator(second).first().waitFor()
    const seen = (await page.evaluate(`(async () => {
      const frame = () => new Promise(requestAnimationFrame)
      await frame(); await frame()
      const [paint] = performance.getEntriesByName('first-contentful-paint')
      return { ready: performance.now(), paint: paint.startTime, elements: document.querySelectorAll('*').length }
    })()`)) as { ready: number; paint: number; elements: number }
    paints.push(seen.paint)
    interactive.push(seen.ready)
    elements = seen.elements
    await page.close()
  }
  return {
    firstPaintMs: round(median(paints)),
    interactiveMs: round(median(interactive)),
    elements,
    loads: LOADS,
  }
}

/** Scrolls down as fast as a wheel does, and measures each frame. */
async function scrolls(context: BrowserContext, url: string) {
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('.many > .slot').first().waitFor()
  await page.waitForTimeout(1_000)
  const { frames, top, rows } = (await page.evaluate(`(async () => {
    const frames = []
    const began = performance.now()
    let last = began
    while (last - began < ${SCROLL_MS}) {
      window.scrollBy(0, 80)
      const now = await new Promise(requestAnimationFrame)
      frames.push(now - last)
      last = now
    }
    return { frames, top: window.scrollY, rows: document.querySelectorAll('.many > .slot').length }
  })()`)) as { frames: number[]; top: number; rows: number }
  await page.close()
  return { frameMs: spread(frames.slice(1)), scrolledPx: top, rowsDrawn: rows }
}

/** Opens one entry of the inbox after the other, until its words stand beside the list. */
async function opens(context: BrowserContext, url: string) {
  const page = await context.newPage()
  await page.goto(url)
  await page.locator(INBOX_ROW).first().waitFor()
  await page.waitForTimeout(1_000)
  const times = (await page.evaluate(`(async () => {
    const times = []
    for (let i = 0; i < ${STEPS}; i++) {
      const rows = [...document.querySelectorAll('${INBOX_ROW}')]
      const row = rows[i % Math.min(rows.length, 12)]
      const [words] = /Question \\d+/.exec(row.textContent)
      const began = performance.now()
      row.click()
      while (!document.querySelector('[aria-label=Entry]')?.textContent.includes(words))
        await new Promise(requestAnimationFrame)
      await new Promise(requestAnimationFrame)
      times.push(performance.now() - began)
      await new Promise((done) => setTimeout(done, 100))
    }
    return times
  })()`)) as number[]
  await page.close()
  return spread(times)
}

/** Loads the whole record, steps back one entry at a time, and jumps between its ends. */
async function replays(context: BrowserContext, url: string) {
  const page = await context.newPage()
  const began = performance.now()
  await page.goto(url)
  await page.getByRole('slider').waitFor()
  const firstShownMs = round(performance.now() - began)
  await page.locator('.mantine-Progress-root').waitFor({ state: 'detached', timeout: 300_000 })
  const loadedMs = round(performance.now() - began)
  const stepMs = await timed(
    page,
    "[...document.querySelectorAll('button')].find((one) => one.textContent === 'Back').click()",
  )
  const jumpMs = await timed(
    page,
    "document.querySelector('[role=slider]').dispatchEvent(new KeyboardEvent('keydown', { key: i % 2 === 0 ? 'Home' : 'End', bubbles: true }))",
  )
  const heapMiB = (await page.evaluate('Math.round(performance.memory.usedJSHeapSize / 2 ** 20)')) as number
  await page.close()
  return { firstShownMs, loadedMs, stepMs, jumpMs, heapMiB }
}

/** @param act a statement that may use `i`. @returns ms until the frame that shows what it did */
async function timed(page: Page, act: string) {
  const times = (await page.evaluate(`(async () => {
    const times = []
    for (let i = 0; i < ${STEPS}; i++) {
      const began = performance.now()
      ;${act}
      await new Promise(requestAnimationFrame)
      await new Promise((done) => setTimeout(done))
      times.push(performance.now() - began)
      await new Promise((done) => setTimeout(done, 30))
    }
    return times
  })()`)) as number[]
  return spread(times)
}

/**
 * Sizes of the built page, packed: the scripts that its document names, which every page loads, and all of
 * it.
 */
function bundle() {
  const named = readFileSync(join(PAGE_FOLDER, 'index.html'), 'utf8')
  const folder = join(PAGE_FOLDER, 'assets')
  const files = readdirSync(folder).map((name) => ({
    name,
    packed: gzipSync(readFileSync(join(folder, name))).length,
  }))
  const kilobytes = (some: typeof files) => round(some.reduce((sum, { packed }) => sum + packed, 0) / 1000)
  return {
    scriptsKB: kilobytes(files.filter(({ name }) => name.endsWith('.js'))),
    stylesKB: kilobytes(files.filter(({ name }) => name.endsWith('.css'))),
    entryKB: kilobytes(files.filter(({ name }) => name.endsWith('.js') && named.includes(`/${name}"`))),
  }
}
