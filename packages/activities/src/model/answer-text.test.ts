import { NOTHING_SHOWN, VERBS } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { parseAnswer } from './answer.ts'

const completion = (message: unknown) => ({ choices: [{ message, finish_reason: 'stop' }] })
const real = { type: 'function', function: { name: 'see', arguments: '{"address":"/a"}' } }

describe('calls written as text', () => {
  const see = '{"name":"see","arguments":{"address":"/a"}}'
  const seen = (content: string | null) => ({ kind: 'call', call: { verb: 'see', address: '/a' }, content })
  const text = (content: string) => parseAnswer(completion({ content }), VERBS)

  it.each([
    ['tagged', `<tool_call>${see}</tool_call>`, null, 0],
    ['tagged, in braces that are written twice', `<tool_call>\n{${see}}\n</tool_call>`, null, 0],
    ['in braces that are written twice', `{${see}}`, null, 0],
    ['in braces that are written twice, with one more', `{${see}}}`, null, 0],
    ['in braces that are written twice, with one fewer', `{${see}`, null, 0],
    ['tagged, with white space', `\n<tool_call>\n${see}\n</tool_call>\n`, null, 0],
    ['tagged, its end eaten', `<tool_call>${see}`, null, 0],
    ['tagged after prose', `I look.\n<tool_call>${see}</tool_call>`, 'I look.\n', 0],
    ['tagged twice', `<tool_call>${see}</tool_call>\n<tool_call>${see}</tool_call>`, null, 1],
    [
      'tagged after talk of tags',
      `A <tool_call> now:\n<tool_call>${see}</tool_call>`,
      'A <tool_call> now:\n',
      0,
    ],
    ['listed', `[TOOL_CALLS][${see}]`, null, 0],
    ['listed twice after prose', `Now.\n[TOOL_CALLS] [${see}, ${see}]\n`, 'Now.\n', 1],
    ['bare', see, null, 0],
    ['bare on a line of its own after prose', `I look.\n${see}`, 'I look.\n', 0],
    ['in the tag of a list of tools', `<tools>\n${see}\n</tools>`, null, 0],
    [
      'after a tag that nothing reads',
      `<tools>\n<see address="/a"/>\n</tools>\n${see}`,
      `<tools>\n<see address="/a"/>\n</tools>\n`,
      0,
    ],
    ['bare, with white space', ` ${see}\n`, null, 0],
    ['arguments in a string', '{"name":"see","arguments":"{\\"address\\":\\"/a\\"}"}', null, 0],
  ])('%s is lifted', (_, content, prose, dropped) => {
    expect(text(content)).toEqual({ decision: seen(prose), ignoredCalls: dropped })
  })

  it.each([
    ['a tag at the end of a sentence', `I look. <tool_call>${see}</tool_call>`],
    ['a tag in the middle of a sentence', `He wrote <tool_call>${see}</tool_call> to me.`],
    ['bare JSON after prose', `I call ${see}`],
    ['bare JSON on a line of its own, and words after it', `I call\n${see}\nnow`],
    ['bare JSON without arguments', '{"name":"see"}'],
  ])('%s stays prose', (_, content) => {
    expect(text(content)).toEqual({ decision: { kind: 'see', content }, ignoredCalls: 0 })
  })

  it.each([
    ['a tag around no JSON', '<tool_call>see /a</tool_call>'],
    ['a tag around no call', '<tool_call>{"address":"/a"}</tool_call>'],
    ['a list with more after it', `[TOOL_CALLS][${see}] and more`],
    ['an empty list', '[TOOL_CALLS][]'],
    ['a list with something else in it', `[TOOL_CALLS][${see}, 1]`],
    ['bare JSON with another field', '{"name":"see","arguments":{"address":"/a"},"id":1}'],
    ['a tool that there is not', '<tool_call>{"name":"fly","arguments":{}}</tool_call>'],
    ['a tool in capitals', '{"name":"SEE","arguments":{"address":"/a"}}'],
    ['a call of an operation', '{"operation":"rule","target":"/court"}'],
    ['a call with more after it', '{"name": "do", "arguments": {"target": "matter:looms"}}.'],
    ['bare JSON in a code fence below prose', `I call\n\`\`\`json\n${see}\n\`\`\``],
    ['the tag of a list of tools', '<tools></tools>'],
    ['the tag of what a tool gave', '<tool_response>{"total": 3}</tool_response>'],
    ['a verb as a function below words', 'I say it.\nsummon(content, "x")'],
  ])('%s is meant as a call, and is no answer', (_, content) => {
    expect(text(content)).toEqual({
      decision: { kind: 'see', content },
      ignoredCalls: 0,
      unfit: expect.stringContaining('JSON that looks like a call'),
    })
  })

  it('data that the prompt showed is no answer, words with some of it are', () => {
    const view = '{"case": "The lamp", "heard": true}'
    const parse = (content: string) =>
      parseAnswer({ choices: [{ message: { content } }] }, ['see'], `[court:case]\n${view}`)
    expect(parse('```json\n{"case":"The lamp","heard":true}\n```').unfit).toContain('repeated data')
    expect(parse(`${view}\n\nThat is all.`).unfit).toContain('repeated data')
    expect(parse('{"heard": true}').unfit).toContain('repeated data')
    expect(parse('{"heard": false}').unfit).toBeUndefined()
    expect(parse('{"case": "The lamp", "ruling": "It burns."}').unfit).toBeUndefined()
    expect(parse('First call a tool if this needs one.').unfit).toContain('repeated data')
    expect(parse('The case is "The lamp".').unfit).toBeUndefined()
    expect(parse('{"total": 3}').unfit).toBeUndefined()
  })

  it.each([
    '{"name": "put on matter:sea with", "arguments": {"coord": 1}: MATTER_NOT_FOUND}',
    '```json\n{"total": 3,\n```',
    '[{"title": "On Tides"}, and so on',
    '[["a"',
    '{{"title": "On Tides"}}',
  ])('JSON that cannot be read is no answer: %s', (content) => {
    expect(text(content)).toMatchObject({ unfit: expect.stringContaining('cannot be read') })
  })

  it.each([
    '[sighs] Yes.',
    '{smiles} Yes.',
    '["On Tides", "Looms"]',
    '[1] says so.',
    '{"total": 3}\n{"total": 4}',
  ])('words that begin with a bracket, and JSON of its own, are an answer: %s', (content) => {
    expect(text(content)).not.toHaveProperty('unfit')
  })

  it('a refusal that the prompt told is no answer, nor is the name of an operation', () => {
    const refusal = 'notes:read on @ann with {"path":"a.md"}: MATTER_NOT_FOUND: @ann has no file a.md'
    const names = { ...NOTHING_SHOWN, doOperations: new Map([['notes:read', []]]) }
    const parse = (content: string) =>
      parseAnswer(
        { choices: [{ message: { content } }] },
        ['do'],
        `[refused]\n${JSON.stringify(refusal)}\n\nSay: no.`,
        names,
      )
    expect(parse(refusal).unfit).toContain('repeated data')
    expect(parse('There is no file a.md.').unfit).toBeUndefined()
    expect(parse('Say: no.').unfit).toBeUndefined()
    expect(parse('do notes:read').unfit).toContain('looks like a call')
    expect(parse('{').unfit).toContain('without a word')
    expect(parse('👍').unfit).toBeUndefined()
    for (const named of ['notes:read', 'I see.\n\n[Notes:read]', 'Now:\n`notes:read`'])
      expect(parse(named).unfit).toContain('looks like a call')
    expect(parse('I may notes:read').unfit).toBeUndefined()
    const fenced = (value: object, words = 'I would call `notes:read` with:') =>
      `${words}\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\``
    expect(parse(fenced({ args: { path: 'a.md' } })).unfit).toContain('looks like a call')
    expect(parse(fenced({ name: 'do', arguments: {} }, 'So:')).unfit).toContain('looks like a call')
    expect(parse(fenced({ args: { path: 'a.md' } }, 'The file holds:')).unfit).toBeUndefined()
    expect(parse(fenced({ total: 3 })).unfit).toContain('told of a call')
    expect(parse(fenced({ total: 3 }, 'What notes:read gave:')).unfit).toBeUndefined()
  })

  it('thousands of lines that begin with a brace are read within a second', () => {
    const began = performance.now()
    text(`I say.${'\n{'.repeat(30_000)}`)
    text(`I say.${'\n{"a": 1}'.repeat(10_000)} end`)
    expect(performance.now() - began).toBeLessThan(1000)
  })

  it('the arguments of the tool for operations are a call of one that was shown', () => {
    const names = { ...NOTHING_SHOWN, doOperations: new Map([['notes:read', ['path']]]) }
    const parse = (value: object, prompt = '') =>
      parseAnswer({ choices: [{ message: { content: JSON.stringify(value) } }] }, ['do'], prompt, names)
    const args = { path: 'a.md' }
    expect(parse({ operation: 'notes:read', args }).decision).toMatchObject({
      call: { verb: 'do', operation: 'notes:read', args },
    })
    expect(parse({ operation: 'notes:read', target: '@ann', args }).decision).toMatchObject({
      call: { verb: 'do', operation: 'notes:read', target: '@ann', args },
    })
    for (const other of [
      { operation: 'notes:write', args },
      { operation: 'notes:read', args, why: 'since' },
      { operation: 'notes:read' },
    ])
      expect(parse(other).decision.kind).toBe('see')
    const shown = { operation: 'notes:read', args }
    expect(parse(shown, JSON.stringify(shown)).decision.kind).toBe('see')
  })

  it('only a tool that was offered is lifted, a real call goes on to the gate', () => {
    for (const content of [see, `<tool_call>${see}</tool_call>`, `[TOOL_CALLS][${see}]`]) {
      expect(parseAnswer(completion({ content }), ['do']).decision).toEqual({ kind: 'see', content })
      expect(parseAnswer(completion({ content }), []).decision).toEqual({ kind: 'see', content })
      expect(parseAnswer(completion({ content }), ['do', 'see']).decision).toEqual(seen(null))
    }
    const tool_calls = [real]
    expect(parseAnswer(completion({ tool_calls }), ['do']).decision).toEqual(seen(null))
  })

  it('beside a real call, text is only text', () => {
    const tool_calls = [real]
    const content = '<tool_call>{"name":"do","arguments":{"operation":"tick"}}</tool_call>'
    expect(parseAnswer(completion({ content, tool_calls }), VERBS).decision).toEqual(seen(content))
  })

  it.each([
    '{"name":"see","arguments":{"__proto__":{}}}',
    '{"name":"see","arguments":{"path":"/a"}}',
    '{"name":"see","arguments":null}',
    '{"name":"see","arguments":"/a"}',
  ])('a lifted call is held to the same rules: %s', (content) => {
    expect(text(content).decision).toEqual({
      kind: 'failure',
      code: 'LLM_FAILED',
      message: expect.stringMatching(/^model called see(:| with) /),
      miscall: true,
    })
  })

  it.each([
    ['tags', '<tool_call>'.repeat(90_000)],
    ['tagged calls', `<tool_call>${see}</tool_call>`.repeat(15_000)],
    ['lists', '[TOOL_CALLS]['.repeat(70_000)],
    ['braces', '{'.repeat(1_000_000)],
    ['spaces', `<tool_call>${' '.repeat(1_000_000)}x`],
  ])('1 MB of %s takes no second', (_, content) => {
    const startedAt = performance.now()
    text(content)
    expect(performance.now() - startedAt).toBeLessThan(1000)
  })
})
