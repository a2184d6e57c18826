/** The table of carriers: what travels by each has a test that brings it, and nothing goes past the table. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CARRIERS, type CarriedKind } from '@treeos/signature'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const text = (file: string): string => readFileSync(join(root, file), 'utf8')

/** A file of tests, with the beginning of a title; or why no words from outside can come so. */
type CarrierTest = readonly [file: string, title: string] | { readonly own: string }

const BRINGS = 'test/scenarios/origin/carriers.test.ts'
const ORIGIN = 'test/scenarios/origin/origin.test.ts'
const OF_ROWS = 'packages/world/src/moment/origin.test.ts'
const PROGRAMS = 'test/portal/programs.long.test.ts'
const OVERLAYS = 'test/scenarios/overlays/stored.test.ts'
const CODE = { own: 'it stands in the code of TreeOS or of an extension' }
const FOR_PERSON = { own: 'only the person who runs it hears the answer' }

/** By what travels: the test that brings it from outside, with its control. */
const TRIED: Readonly<Record<CarriedKind, CarrierTest>> = {
  'a sentence of TreeOS': CODE,
  'a probe of a model': CODE,
  'the task of a Signature': CODE,
  'the declaration of its answer': CODE,
  'a name': [BRINGS, "'a name': async"],
  'a path': [OF_ROWS, "['a space around it', 'space:/']"],
  'an entry of a list': [BRINGS, "'the text of a role': async"],
  'the text of a role': [BRINGS, "'the text of a role': async"],
  'a role of a world file': [
    'test/scenarios/world/world-file.test.ts',
    'what holds words from outside holds them where it is planted, too',
  ],
  'a role of a trial': FOR_PERSON,
  'a quality': [ORIGIN, 'marks what it writes, so that who reads it holds such words, too'],
  'the key of a quality': [OF_ROWS, 'where its flow reads %s: %s'],
  'a place': [OF_ROWS, "['its place', 'space:/hall']"],
  'a thing': [OF_ROWS, 'and says so over the views that hold them, and of the thing itself'],
  'a note': ['test/scenarios/memory/memory.test.ts', 'what was read from outside waits for a person'],
  'a recalled note': [
    'test/scenarios/memory/memory.test.ts',
    'what was read from outside waits for a person',
  ],
  'a signal': [ORIGIN, 'also of a role and of signals'],
  'a subscription': [BRINGS, "'a subscription',"],
  'a conversation': [OF_ROWS, 'where words in its thread are'],
  'a view of an extension': [OF_ROWS, 'a view is code of an extension'],
  'past acts': ['test/scenarios/roles/orientation.test.ts', 'a past act with words from outside marks'],
  'an open approval': [ORIGIN, 'or asks a person'],
  'who speaks': [
    'packages/world/src/moment/wake-block.test.ts',
    'says that words are from outside only where',
  ],
  'an id that a client chose': [PROGRAMS, 'what a program says and writes is from outside'],
  'a change': [OF_ROWS, 'of a change that woke it, where it is told of it'],
  'a schedule': [OF_ROWS, "['its own row', 'being:ann']"],
  'what a sequence begun with': [BRINGS, "'what a look saw': (isOutside)"],
  'the result of a step': [
    ORIGIN,
    'is marked where it is kept and said, although the moment held no such words',
  ],
  'what a look saw': [BRINGS, "'what a look saw': (isOutside)"],
  'a yes': [BRINGS, "'a yes': async"],
  'a yes to other arguments': [ORIGIN, 'and takes no yes from there'],
  'a no': [BRINGS, "'a no': async"],
  'an approval that expired': [BRINGS, "'an approval that expired': async"],
  'a notice': [BRINGS, "'a notice': async"],
  'the result of a tool': [
    ORIGIN,
    'is marked where it is kept and said, although the moment held no such words',
  ],
  'the error of a tool': [BRINGS, "'a notice': async"],
  'a completed effect': [
    ORIGIN,
    'is marked where it is kept and said, although the moment held no such words',
  ],
  'a message': [ORIGIN, 'wears what the flow says for it, and may not do what they ask for'],
  'an answer': [BRINGS, "'an answer': (isOutside)"],
  'the subject of a mail': [
    'test/portal/outlets.test.ts',
    'is a summon of its person that says it comes from outside',
  ],
  'the history of a chat client': [PROGRAMS, 'what a program says and writes is from outside'],
  'the state of an AG-UI client': [PROGRAMS, 'what a program says and writes is from outside'],
  'a message of another agent': [PROGRAMS, 'what a program says and writes is from outside'],
  'words of a program to a child': [PROGRAMS, 'what a program says and writes is from outside'],
  'words of a child to others': [BRINGS, "'words of a child to others': (isOutside)"],
  'the input of a workflow': ['test/scenarios/extensions/host-workflows.test.ts', 'outside: true'],
  'the input of a Signature': ['packages/signature/src/signature.test.ts', 'no input can pass as a role'],
  'what was refused': [BRINGS, "'a notice': async"],
  'the name of a file': [
    'test/scenarios/files/files.test.ts',
    'a file is from outside until a person vouches',
  ],
  'the text of a file': [
    'test/scenarios/files/files.test.ts',
    'a file is from outside until a person vouches',
  ],
  'a picture': ['test/scenarios/files/files.test.ts', 'a file is from outside until a person vouches'],
  'an overlay of a call': ['packages/world/src/overlays.property.test.ts', 'both gates decide each act'],
  'an overlay of a thread': [OVERLAYS, 'a program of the same person sets none'],
  'a stored overlay': [OVERLAYS, 'a program of the same person sets none'],
  'an operation of code': CODE,
  'a tool of a server': ['test/scenarios/tools/tools.test.ts', 'a tool of an outside server'],
}

it.each(Object.entries(TRIED))(
  '%s has a test that brings it, or cannot come from outside',
  (_carried, tried) => {
    if ('own' in tried) expect(tried.own).not.toBe('')
    else expect(text(tried[0])).toContain(tried[1])
  },
)

const sources = execFileSync('git', ['ls-files', 'packages', 'apps', 'extensions'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((file) => /\/src\/.*\.tsx?$/.test(file) && !file.includes('.test.'))

it('each carrier of the table brings something, somewhere', () => {
  const all = sources.map(text).join('\n')
  const used = Object.keys(CARRIERS).filter((name) =>
    new RegExp(String.raw`\b(?:carry|carryData|viewBlock)\(\s*'${name}'`).test(all),
  )
  expect(used).toEqual(Object.keys(CARRIERS))
})

/** A cast would make words for a mind without a carrier. */
const CAST = /\bas (?:unknown as )?(?:MindWords|MindData)\b|<(?:MindWords|MindData)>\s*\(?['"`\w]/
const TABLE = 'packages/signature/src/carriers.ts'

it('nothing but the table makes words for a mind', () => {
  expect(sources.filter((file) => CAST.test(text(file)))).toEqual([TABLE])
})
