import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keysIn, looseTexts } from './loose-texts.ts'

const PAGE = join(import.meta.dirname, '..')
const textsOf = (language: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(import.meta.dirname, `${language}.json`), 'utf8'))
const [german, english] = [textsOf('de'), textsOf('en')]
const files = globSync('**/*.{ts,tsx}', { cwd: PAGE })
  .filter((path) => !/\.test\.ts$|^language\//.test(path))
  .sort()
const sourceOf = (path: string): string => readFileSync(join(PAGE, path), 'utf8')

/** Strings that look like texts and are none: names, addresses, examples of code. By their files. */
const NO_TEXTS: Readonly<Record<string, readonly string[]>> = {
  'account/Hooks.tsx': ['@support', 'weather.sky'],
  'account/Outlets.tsx': ['ann@example.org', 'https://example.org/hook'],
  'account/Terminal.tsx': ['BCDF-GHJK'],
  'account/agent.ts': ['Edge', 'Opera', 'Firefox', 'Chrome', 'Safari', 'Android', 'Windows', 'Linux'],
  'api/client.ts': ['Refusal'],
  'api/live.ts': ['treeos-live {} {}'],
  'app.tsx': ['the page has no root'],
  'birth/BirthForm.tsx': ['dora', '[{"when": {"world.school.bell": true}, "role": "herald"}]'],
  'door/SignIn.tsx': ['@operator'],
  'flow/JsonEditor.tsx': ['1px solid var(--line)'],
  'inbox/AskedCall.tsx': ['why {}'],
  'inbox/EntryRow.tsx': ['(min-width: 62em)'],
  'inbox/OpenEntry.tsx': ['answer {}'],
  'inbox/cases.ts': ['entry {}'],
  'inbox/facets.ts': ['from outside', 'from inside'],
  'live/useIsNarrow.ts': ['(max-width: 48em)'],
  'overlays/Composer.tsx': ['words {}'],
  'parts/PageHead.tsx': ['{} · TreeOS'],
  'parts/tab-title.ts': ['TreeOS'],
  'people/InviteForm.tsx': ['ann', 'citizen'],
  'replay/Branch.tsx': ['treeos fork NAME --at {}'],
  'roles/MoreFields.tsx': ['message'],
  'roles/PublishForm.tsx': ['harmony', 'tick.alive', 'true'],
  'roles/PublishedSignals.tsx': ['world.{}.{}'],
  'roles/drafts.ts': ['treeos-draft {} {} {}'],
  'sharing/receipt-text.ts': ['treeos verify --receipt FILE'],
  'shell/Header.tsx': ['TreeOS'],
  'shell/Navigation.tsx': ['Temporal'],
  'text/unseen-text.ts': ['U+{}'],
  'thread/Comments.tsx': ['comment {} {} {}'],
  'verbs/OperationForm.tsx': ['set-role', 'birth'],
}
/** Colours, fonts and drawings. */
const WITHOUT_TEXTS = ['theme.ts', 'parts/Icon.tsx']

/** The form for one of a text that has several, and the form for all other numbers. */
const formsOf = (key: string): readonly string[] =>
  key.includes('{{count}}') ? [`${key}_one`, `${key}_other`] : [key]
const placesIn = (text: string): readonly string[] =>
  [...new Set(text.match(/\{\{\w+\}\}|<\/?\w+ ?\/?>/g) ?? [])].sort()

const used = new Set(files.flatMap((path) => keysIn(path, sourceOf(path))))

describe('every text of the page is in the catalogue', () => {
  it.each(files.filter((path) => !WITHOUT_TEXTS.includes(path)))('no text of %s goes past it', (path) => {
    const names = NO_TEXTS[path] ?? []
    const found = looseTexts(path, sourceOf(path))
    const textIn = (one: string) => one.slice(one.indexOf(': ') + 2)
    expect(found.filter((one) => !names.includes(textIn(one)))).toEqual([])
    expect(names.filter((name) => !found.some((one) => textIn(one) === name))).toEqual([])
  })

  it('its keys are written where they are used', () => expect([...used]).not.toContain(null))

  const keys = [...used].filter((key) => key !== null)
  it('German has each text that is used, and no other', () => {
    expect(Object.keys(german).sort()).toEqual(keys.flatMap(formsOf).sort())
  })
  it('English has the singular of each text with a number, and nothing else', () => {
    const singulars = keys.flatMap((key) =>
      formsOf(key).filter((form) => form !== key && form.endsWith('_one')),
    )
    expect(Object.keys(english).sort()).toEqual(singulars.sort())
  })
  it.each([
    ['German', german],
    ['English', english],
  ])('what is filled into a text of %s is what its key names', (_, texts) => {
    const differ = Object.entries(texts).filter(
      ([key, text]) => placesIn(key).join(' ') !== placesIn(text).join(' '),
    )
    expect(differ).toEqual([])
  })
})

describe('a text that goes past the catalogue is found', () => {
  it.each([
    ['between tags', '<p>Sign in</p>', 'Sign in'],
    ['in an attribute', '<a title="out">{x}</a>', 'out'],
    ['in one of two cases', "<a title={is ? 'in' : t('out')}>{x}</a>", 'in'],
    ['as a string between tags', "<p>{is ? 'open' : null}</p>", 'open'],
    ['in a template', `<p>{\`\${n} beings\`}</p>`, '{} beings'],
    ['in a table of labels', "const a = { label: 'all' }", 'all'],
    ['in an error', "throw new Error('this tab is over')", 'this tab is over'],
    ['within the values of another', `t('{{a}} or', { a: \`\${n} are\` })`, '{} are'],
  ])('%s', (_, source, text) => expect(looseTexts('a.tsx', source)).toEqual([`1: ${text}`]))

  it.each([
    ["<p>{t('Sign in')}</p>"],
    ["<a title={is ? t('in') : t('out')}>{x}</a>"],
    ['<Trans text="of <b/>" parts={{ b: <b>{name}</b> }} />'],
    [`<p className="quiet code">{\`\${n} ms\`}</p>`],
    ["type A = 'sign in'; const a: A = b as 'sign in'"],
    ["if (key === 'a b') document.querySelector('nav a')"],
  ])('nothing is found in %s', (source) => expect(looseTexts('a.tsx', source)).toEqual([]))
})

it('the keys of a file are found with their contexts', () => {
  const source = `t('a'); t(is ? 'b' : 'c', { n }); t('d', { context: 'verb' }); <Trans text="<e/>" parts={p} />; t(f)`
  expect(keysIn('a.tsx', source)).toEqual(['a', 'b', 'c', 'd_verb', '<e/>', null])
})
