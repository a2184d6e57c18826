/** One file has the colours, and nothing moves for long. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const PAGE = join(import.meta.dirname, '../page/src')
/** The palette of the library stands in its theme, as it takes no other form. */
const OF_COLOURS = new Set(['tokens.css', 'theme.ts'])
const MOTION_MAX_MS = 150

const sources = readdirSync(PAGE, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(?:css|tsx?)$/.test(path) && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(PAGE, path), 'utf8') }))

const coloursIn = (text: string): string[] =>
  text.match(
    /light-dark\(|\b(?:rgb|hsl|oklch|lab|lch|hwb)a?\(|(?<=[:\s'"`(])#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})\b/gi,
  ) ?? []

/** In ms: of declarations of CSS, and of props that say how long. */
const durationsIn = (text: string): number[] => [
  ...[...text.matchAll(/(?:transition|animation|--motion)[\w-]*:([^;}]*)/g)].flatMap(([, value = '']) =>
    [...value.matchAll(/([\d.]+)(m?s)\b/g)].map(([, n, unit]) => Number(n) * (unit === 's' ? 1000 : 1)),
  ),
  ...[...text.matchAll(/(?:[dD]uration|MOTION_MS)\b\W{1,4}(\d+)/g)].map(([, n]) => Number(n)),
]

describe('the look of the page', () => {
  it('has its colours in one file', () => {
    expect(sources.length).toBeGreaterThan(200)
    const found = sources.flatMap(({ path, text }) =>
      OF_COLOURS.has(path) ? [] : coloursIn(text).map((colour) => `${path}: ${colour}`),
    )
    expect(found).toEqual([])
  })

  it('moves for less than 150 ms', () => {
    const found = sources.flatMap(({ path, text }) => durationsIn(text).map((ms) => ({ path, ms })))
    expect(found.map(({ path }) => path)).toEqual(expect.arrayContaining(['tokens.css', 'theme.ts']))
    expect(found.filter(({ ms }) => ms >= MOTION_MAX_MS)).toEqual([])
  })

  it('names only colours that there are', () => {
    const tokens = new Set(sources.flatMap(({ text }) => text.match(/--[\w-]+(?=['"]?\]?:)/g) ?? []))
    const used = sources.flatMap(({ text }) =>
      [...text.matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => name),
    )
    const unknown = used.filter((name) => !name.startsWith('--mantine-') && !name.startsWith('--app-shell-'))
    expect(unknown.filter((name) => !tokens.has(name))).toEqual([])
  })

  it.each([
    ['color: #fff', 1],
    ["fill: 'rgb(1, 2, 3)'", 1],
    ['color: light-dark(#fff, #000)', 3],
    ['href="#at"', 0],
  ])('control: in %s it finds %i', (text, count) => {
    expect(coloursIn(text)).toHaveLength(count)
  })

  it.each([
    ['transition: transform 0.35s ease;', [350]],
    ['animation: spin 1s linear, fade 80ms;', [1000, 80]],
    ['transitionProps={{ duration: 200 }}', [200]],
    ['transition: none;', []],
  ])('control: %s takes %j', (text, wanted) => {
    expect(durationsIn(text)).toEqual(wanted)
  })
})
