import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { plantScene } from '@treeos/client'
import { canonicalJson, isJsonObject } from '@treeos/core'
import harmony from '@treeos/harmony'
import { PastStates } from '@treeos/replay'
import { listFactsAt, listOutcomes, readJournal } from '@treeos/store'
import type { BeingRow } from '@treeos/world'
import { sql } from 'kysely'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { until } from '../../support/life.ts'
import { PortalWorld } from '../../support/portal.ts'
import { expectReplays } from '../../support/replays.ts'

const BEATS = 5
/**
 * The scene as it is shipped, with fewer beats, and with another name for @ada, who is somebody else in this
 * world.
 */
const scene = (
  JSON.parse(
    JSON.stringify(harmony.scene).replaceAll('"ada"', '"ann"').replaceAll('@ada', '@ann'),
  ) as typeof harmony.scene
).map((call) =>
  call.verb === 'do' && call.operation === 'harmony:drum'
    ? { ...call, args: { alive: true, beats: BEATS } }
    : call,
)

interface Shown {
  readonly being: string
  readonly stack: string
  readonly worn: string
}

describe.runIf(hasChromium)('the replay page', () => {
  let at: PortalWorld
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  let newest = 0
  beforeAll(async () => {
    at = await PortalWorld.start({ extensions: [harmony] })
    browser = await openBrowser()
    await plantScene(at.world, { name: 'harmony', scene })
    // The drum falls silent, and everyone rests.
    await until(
      async () => {
        const { values } = ((await at.world.db
          .selectFrom('projection')
          .select('state')
          .where('key', '=', 'world:harmony')
          .executeTakeFirst()
          .then((row) => JSON.parse(row?.state ?? '{}'))) ?? {}) as {
          values?: { tick?: { n?: number; alive?: boolean } }
        }
        return values?.tick?.alive === false && values.tick.n === BEATS
      },
      { seconds: 60, what: 'the end of the dance' },
    )
    await until(async () => {
      const before = await readJournal(at.world.db, 0, 10_000)
      await new Promise((resolve) => setTimeout(resolve, 1500))
      newest = (await readJournal(at.world.db, 0, 10_000)).newest
      return newest === before.newest
    })
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    page = await context.newPage()
    complaints = complaintsOf(page)
  })
  afterEach(() => context.close())

  const open = async (being: string, search = '') => {
    await enterBy(page, at, being)
    await page.goto(`${at.origin}/replay${search}`)
    await page.getByRole('heading', { name: 'Replay' }).waitFor()
  }
  const positionNow = async () => Number(await page.locator('[data-entry]').getAttribute('data-entry'))
  const shownNow = async (): Promise<Shown[]> =>
    page.locator('[data-being]').evaluateAll((rows) =>
      rows.map((row) => {
        const {
          being = '',
          stack = '',
          worn = '',
        } = (row as unknown as { dataset: Record<string, string> }).dataset
        return { being, stack, worn }
      }),
    )
  const squaresNow = async () =>
    Object.fromEntries(
      await page
        .locator('.map-being')
        .evaluateAll((marks) =>
          marks.map((mark) => [mark.getAttribute('data-key') ?? '', mark.getAttribute('data-spot')]),
        ),
    )

  it('replay slider equals treeos replay: stacks and squares at every position, byte for byte', async () => {
    expect((await expectReplays(at.world)).identical).toBe(true)
    const { entries } = await readJournal(at.world.db, 0, 10_000)
    const outcomes = new Map(
      (
        await Promise.all(
          ['operator', 'drum', 'ada', 'ann', 'bo', 'bob', 'cyd', 'kid', 'echo'].map((name) =>
            listOutcomes(at.world.db, name),
          ),
        )
      )
        .flat()
        .map((outcome) => [outcome.moment, outcome]),
    )
    const past = new PastStates(at.world.db)
    await open('operator', '?at=0&in=/floor')
    await page.getByText('Before the first fact.').waitFor()
    const worn = new Map<string, string>()
    const stacks = new Set<string>()
    const heads = new Map<string, number>()
    let positions = 0
    for (const { entry, moment, facts } of entries) {
      const outcome = moment === null ? undefined : outcomes.get(moment)
      if (outcome !== undefined) {
        worn.set(outcome.being, canonicalJson(outcome.record.stack))
        stacks.add(canonicalJson(outcome.record.stack))
      }
      for (const { reel, seq } of facts) heads.set(reel, seq)
      const isPlacing = (await listFactsAt(at.world.db, facts)).some(({ header }) =>
        /^(being|space|matter):|^quality:set|^summon/.test(header.kind),
      )
      if (outcome === undefined && !isPlacing) continue
      await page.getByRole('button', { name: 'Forward' }).click()
      await until(async () => (await positionNow()) === entry, { seconds: 5, what: `position ${entry}` })
      const beings = [...heads].flatMap(([reel, seq]) => (reel.startsWith('being:') ? [{ reel, seq }] : []))
      await until(async () => (await shownNow()).length === (await bornBy(past, beings)).length, {
        seconds: 5,
        what: `the rows of position ${entry}`,
      })
      const expected = new Map<string, string | null>()
      for (const { name, row } of await bornBy(past, beings))
        if (row.space === '/floor') expected.set(`being:${name}`, squareOf(row))
      await until(
        async () => canonicalJson(await squaresNow()) === canonicalJson(Object.fromEntries(expected)),
        {
          seconds: 5,
          what: `the squares ${canonicalJson(Object.fromEntries(expected))} of position ${entry}`,
        },
      )
      // The rows follow the position within a frame or two.
      const differing = async () =>
        (await shownNow()).filter(
          ({ being, worn: shown }) => canonicalJson(JSON.parse(shown)) !== (worn.get(being) ?? 'null'),
        )
      await until(async () => (await differing()).length === 0, {
        seconds: 5,
        what: `the stacks ${canonicalJson(Object.fromEntries(worn))} of position ${entry}`,
      })
      positions += 1
    }
    console.log(`${positions} positions of ${newest}`)
    expect(positions).toBeGreaterThan(30)
    expect(stacks.size).toBeGreaterThan(3)
    expect(complaints).toEqual([])
  })

  it('it goes back, plays, and leads to the moment; the keys of the slider move it', async () => {
    await open('operator', '?in=/floor')
    const end = await positionNow()
    await page.getByRole('button', { name: 'Back' }).click()
    await until(async () => (await positionNow()) < end)
    const before = await positionNow()
    const link = page.getByRole('region', { name: 'Position' }).getByRole('link', { name: /^@/ })
    const moment = page.getByRole('region', { name: 'Position' }).getByRole('link', { name: /^moment/ })
    const [being, shown] = [await link.textContent(), (await moment.textContent()) ?? '']
    await page.getByRole('button', { name: 'Branch here' }).click()
    await page.getByText(`treeos fork NAME --at ${being}:${/\d+/.exec(shown)?.[0]}`).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('slider').focus()
    await page.keyboard.press('Home')
    await until(async () => (await positionNow()) === 0)
    await page.keyboard.press('End')
    await until(async () => (await positionNow()) === end)
    await page.goto(`${at.origin}/replay?at=${before}&in=/floor`)
    await until(async () => (await positionNow()) === before)
    await page.getByRole('button', { name: 'Play' }).click()
    await until(async () => (await positionNow()) === end)
    await page
      .getByRole('region', { name: 'Position' })
      .getByRole('link', { name: /^moment/ })
      .click()
    await page.getByRole('region', { name: 'What happened' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('a comparison says that the chain, Temporal and the record agree', async () => {
    await open('operator')
    const part = page.getByRole('region', { name: 'Compare with the record' })
    await part.getByRole('combobox').click()
    await page.getByRole('option', { name: 'all beings' }).click()
    await part.getByRole('button', { name: 'Compare' }).click()
    await part.getByText('identical').waitFor({ timeout: 60_000 })
    expect(complaints).toEqual([])
  })

  it('control: where the record was changed afterwards, both replays disagree with it and the page shows what they found', async () => {
    const [last] = (await listOutcomes(at.world.db, 'ann')).slice(-1)
    if (last === undefined) throw new Error('@ann had no moment')
    const { rows } = await sql<{ record: Buffer }>`
      select record from treeos.moment_outcome where moment = ${last.moment}`.execute(at.world.owner)
    const right = rows[0]!.record
    const changed = Buffer.from(right.toString('utf8').replace('harmony:resting', 'harmony:dancer'), 'utf8')
    expect(changed.equals(right)).toBe(false)
    const write = (record: Buffer) =>
      at.world.owner.transaction().execute(async (tx) => {
        await sql`set local session_replication_role = replica`.execute(tx) // nobody but a superuser can change a record
        await sql`update treeos.moment_outcome set record = ${record} where moment = ${last.moment}`.execute(
          tx,
        )
      })
    await write(changed)
    try {
      await open('operator')
      const part = page.getByRole('region', { name: 'Compare with the record' })
      await part.getByRole('combobox').click()
      await page.getByRole('option', { name: 'ann', exact: true }).click()
      await part.getByRole('button', { name: 'Compare' }).click()
      await part.getByText('differs', { exact: true }).waitFor({ timeout: 60_000 })
      const row = part.getByRole('row').filter({ hasText: /^@ann \d+\s*stack/ })
      expect(await row.count()).toBe(2) // one from the chain, one from Temporal
      for (const cell of [await row.nth(0).textContent(), await row.nth(1).textContent()]) {
        expect(cell).toContain('harmony:dancer')
        expect(cell).toContain('harmony:resting')
      }
    } finally {
      await write(right)
    }
    expect(complaints).toEqual([])
  })

  it('the picture of the README is of this page', async () => {
    await open('operator', `?at=${Math.round(0.8 * newest)}&in=/floor`)
    await page.locator('.map-being').nth(3).waitFor()
    expect(await page.locator('[data-being]').count()).toBeGreaterThan(5)
    await page.evaluate('Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null)))')
    // Only on request, since each run would make another one: TREEOS_SCREENSHOT=1
    const path = resolve(import.meta.dirname, '../../../docs/images/replay.png')
    const picture = await page.screenshot(process.env.TREEOS_SCREENSHOT === '1' ? { path } : {})
    expect(picture.length).toBeLessThan(200_000)
    expect(existsSync(path)).toBe(true)
    expect(complaints).toEqual([])
  })

  it('another person sees the past of its own beings only', async () => {
    await open('bob')
    await until(async () => (await shownNow()).length > 0)
    expect((await shownNow()).map(({ being }) => being)).toEqual(['bob'])
    await page.goto(`${at.origin}/replay?in=/floor`)
    await until(async () => (await shownNow()).length > 0)
    expect(await page.locator('.map-being').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

async function bornBy(past: PastStates, beings: readonly { reel: string; seq: number }[]) {
  const rows = await Promise.all(
    beings.map(async ({ reel, seq }) => ({
      name: reel.slice('being:'.length),
      row: (await past.reel(reel, seq)).rowAt(reel, seq) as BeingRow | null,
    })),
  )
  return rows.flatMap(({ name, row }) => (row === null ? [] : [{ name, row }]))
}

function squareOf({ qualities }: BeingRow): string | null {
  const own = qualities.harmony
  const at = isJsonObject(own) ? own.position : null
  return isJsonObject(at ?? null) ? `${(at as { x: number }).x} ${(at as { y: number }).y}` : null
}
