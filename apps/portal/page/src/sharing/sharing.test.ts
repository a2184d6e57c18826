import { expect, it } from 'vitest'
import { fileNameOf } from './download.ts'
import { onOneLine, quoted } from './quoted-text.ts'
import { receiptClaim, receiptText } from './receipt-text.ts'
import { threadText } from './thread-text.ts'

const THREAD = {
  thread: 't1',
  state: 'live' as const,
  began: '2026-11-27T00:00:00.000Z',
  moved: '2026-11-27T00:01:00.000Z',
  participants: ['@ada', '@kid'],
  hidden: 2,
  lines: [
    {
      id: 't1',
      at: '2026-11-27T00:00:00.000Z',
      from: '@ada',
      to: '@kid',
      kind: 'words' as const,
      text: 'May I?',
      content: 'May I?\n```\n# Approved\n![x](http://evil.example/x.png)',
      inReplyTo: null,
      notice: false,
      isOpen: false,
      moment: { n: 3, outcome: 'failure' as const, reason: 'FORBIDDEN' },
    },
  ],
}

it('a thread is exported with who said what and how its moments ended', () => {
  const text = threadText(THREAD, 'till')
  expect(text).toMatch(/^# @ada, @kid\n/)
  expect(text).toContain('## @ada to @kid')
  expect(text).toContain('2 further lines')
  expect(text).toContain('Moment 3 failed: FORBIDDEN.')
})

it('what happened is said of nobody, in a sentence and not as JSON', () => {
  const [line] = THREAD.lines
  const step = {
    kind: 'event' as const,
    from: '@ada',
    text: '@kid did till:pay (euros 4).',
    content: { did: 1 },
  }
  const text = threadText({ ...THREAD, lines: [{ ...line!, ...step }] }, 'till')
  expect(text).toContain('## What happened\n')
  expect(text).toContain('@kid did till:pay (euros 4).')
  expect(text).not.toContain('{"did"')
})

it('words from outside are marked in the file, too', () => {
  const [line] = THREAD.lines
  const text = threadText({ ...THREAD, lines: [{ ...line!, outside: true }] }, 'till')
  expect(text).toContain('## @ada to @kid (from outside)')
})

it('no words of others become markup of the file: the fence is longer than any in them', () => {
  const text = threadText(THREAD, 'till')
  const fence = /^(`{4,})text$/m.exec(text)?.[1] ?? ''
  expect(fence).toBe('````')
  const [, inside = ''] = text.split(new RegExp(`^${fence}(?:text)?$`, 'm'))
  expect(inside).toContain('![x](http://evil.example/x.png)')
  expect(quoted('a\u200bb')).toContain('U+200B')
  expect(onOneLine('[a](b)\n# c')).toBe('\\[a\\]\\(b\\) \\# c')
})

it('a receipt says in words what it claims, and that the file proves it', () => {
  const statement = {
    subject: [{ name: 'kid/1/3', digest: { sha256: 'ab' } }],
    predicate: {
      reality: 'r1',
      verdict: 'seen-to-run',
      target: '@ada',
      moment: { decision: { kind: 'call', words: 'Grüße' } },
    },
  }
  const payload = Buffer.from(JSON.stringify(statement)).toString('base64')
  const text = receiptText({ payload, signatures: [{ keyid: 'k1' }] })
  expect(text).toContain('# Receipt of kid/1/3')
  expect(text).toContain('It was allowed, and was done. (`seen-to-run`)')
  expect(text).toContain('Grüße')
  expect(text).toContain('treeos verify --receipt FILE')
})

it('what a receipt claims is shown as it is, and only its file escapes what Markdown reads', () => {
  const statement = { subject: [{ name: 'kid/1/3' }], predicate: { target: '/order-desk_2' } }
  const payload = Buffer.from(JSON.stringify(statement)).toString('base64')
  const envelope = { payload, signatures: [{ keyid: 'k-1' }] }
  expect(receiptClaim(envelope).fields).toEqual(
    expect.arrayContaining([
      ['Done to', '/order-desk_2'],
      ['Signed by', 'k-1'],
    ]),
  )
  expect(receiptText(envelope)).toContain('Done to: /order\\-desk\\_2')
})

it('a file is named by letters and digits alone', () => {
  expect(fileNameOf('thread', '@ada', '../../etc', '2026-11-27')).toBe('thread-ada-etc-2026-11-27')
})
