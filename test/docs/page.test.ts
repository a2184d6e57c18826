import { describe, expect, it } from 'vitest'
import { differenceOf, stepsOf } from './page.ts'

describe('the steps of a page', () => {
  it('are the commands of its shell blocks, with their output and what belongs to them', () => {
    const page = [
      'text',
      '```console',
      "$ cat > a.json <<'END'",
      '{',
      '}',
      'END',
      '$ treeos see /',
      'address  /',
      '',
      '$ treeos beings',
      '```',
      '```json',
      '{"not": "run"}',
      '```',
      '<!-- not run: it waits for ever -->',
      '```sh',
      'treeos up',
      '```',
      '```sh',
      'treeos inhabit @ann    # in another terminal',
      'for being in a b; do',
      '  treeos birth $being \\',
      '    --cognition llm',
      'done',
      '```',
    ].join('\n')
    expect(stepsOf(page)).toEqual([
      { line: 3, command: "cat > a.json <<'END'\n{\n}\nEND", expected: null, stays: false },
      { line: 7, command: 'treeos see /', expected: ['address  /'], stays: false },
      { line: 10, command: 'treeos beings', expected: null, stays: false },
      { line: 20, command: 'treeos inhabit @ann    # in another terminal', expected: null, stays: true },
      {
        line: 21,
        command: 'for being in a b; do\n  treeos birth $being \\\n    --cognition llm\ndone',
        expected: null,
        stays: false,
      },
    ])
  })
})

describe('what a command printed', () => {
  it.each([
    { shown: ['@echo: hello'], printed: '@echo: hello\n' },
    {
      shown: ['act operator/1/2', '  space:opened   space:/ 6  39b5d01145d6'],
      printed: 'act operator/1/14\n  space:opened   space:/ 61  0123456789ab\n',
    },
    { shown: ['1  2026-11-22 14:22:33Z  act'], printed: '   1  2027-01-02 01:02:03Z  act' },
    { shown: ['6 beings, 16 moments: identical'], printed: '9 beings, 1 moments: identical' },
    { shown: ['a', '…', 'z'], printed: 'a\nb\nc\nz' },
    { shown: ['a', '…', 'z'], printed: 'a\nz' },
    { shown: ['ok: {"actor"…'], printed: 'ok: {"actor":"@x"}' },
  ])('$printed is as shown in $shown', ({ shown, printed }) => {
    expect(differenceOf(shown, printed)).toBeNull()
  })

  it.each([
    { shown: ['@echo: hello'], printed: '@echo: hallo' },
    { shown: ['6 beings, 16 moments: identical'], printed: '6 beings, 16 moments: NOT identical' },
    { shown: ['a', '…', 'z'], printed: 'a\nb' },
    { shown: ['a'], printed: 'a\nb' },
    { shown: ['(a|b)'], printed: 'a' },
  ])('$printed is not as shown in $shown', ({ shown, printed }) => {
    expect(differenceOf(shown, printed)).not.toBeNull()
  })
})
