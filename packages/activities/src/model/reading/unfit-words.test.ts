import type { ShownNames } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { faultInWords } from './unfit-words.ts'

const MEANING = 'Reads a file of your workspace. You see its text in your next moment.'
const REFUSED = 'take on matter:tides: RESOURCE_CONFLICT: matter:tides is not in /library: @reader holds it'
const PROMPT = `Your last call was refused.
${REFUSED}.
First call a tool if this needs one. Then answer in plain words.`
const SHOWN: ShownNames = {
  addresses: [],
  doOperations: new Map([
    ['take', []],
    ['lineage:read-file', ['path']],
    ['lineage:run-skill', []],
  ]),
  beOperations: new Map(),
}

describe('words', () => {
  // As a model of 0.5B wrote them to persons.
  it.each([
    `lineage:read-file: ${MEANING} Target: a being.`,
    'lineage:read-file("a.md")',
    `First call \`lineage:read-file\` to read a file of your workspace. You see its text in your next moment.`,
    `The first call to a tool is \`lineage:read-file: ${MEANING} Target: a being. Args: path.\``,
    'The first call to `lineage:read-file` can look at wheat.',
    'The user request does not meet the requirements for the `lineage:read-file` tool.',
    'To buy a skill or resource, answer with `lineage:run-skill`.',
    'lineage:read-file on @market-scout with {"path":"/path/to/water/file"}: it is not there',
    '["lineage:read-file", {"path": "/notes/today.md"}]',
    '["lineage:read-file", "/notes/today.md"]',
    'First call the do tool, asking the actor to see the address, then the actor takes the matter.',
    `Do ${REFUSED}`,
    `\`${REFUSED}\``,
    `| ${REFUSED} |`,
    '[tool: do, take, matter:looms]',
    'To buy, do lineage:read-file',
    `do lineage:read-file: ${MEANING}`,
    'Which one?\n[tool_call: take]',
    '[do, take, "matter:looms"]',
    'tool: see\nparameters: {address: matter:wool, addresses: /library}',
    'Tool: see\nParameters: address: @reader\nTool: do',
    'Here it is.\nTool: `take`',
    'Action: lineage:read-file',
    '[refused]',
  ])('%s are no answer', (words) => {
    expect(faultInWords(words, PROMPT, SHOWN)).not.toBeNull()
  })

  it.each([
    ['How do I call lineage:read-file?', 'Call `lineage:read-file` with the path.'],
    ['What does the do tool need?', 'First call the do tool, with an operation and its arguments.'],
  ])('answer %j, which asks how, and nothing else', (asked, words) => {
    expect(faultInWords(words, PROMPT, { ...SHOWN, asked })).toBeNull()
    expect(faultInWords(words, PROMPT, { ...SHOWN, asked: 'What costs wool?' })).not.toBeNull()
  })

  it.each([
    'I read the file, and wool costs 12 today.',
    'I looked it up with lineage:read-file: wool costs 12 today.',
    'You may call me Ada. I keep the files here.',
    `I tried to take the book for you, but it went wrong, since it was said that ${REFUSED.slice(21)}`,
    'The do tool of MCP performs an operation; the see tool looks at an address.',
    'My tool: a loom.\nAction: none.',
    'Tools: see the shelf in /library.',
    '[A] or [B]?',
    '["wool", "oil"]',
    '[He puts the tool down.] Take it, it is yours.',
    '[Tools of the smith: a hammer and tongs.]',
    'The title is matter:looms.',
    '["lineage:read-file", "lineage:run-skill"]',
  ])('%s may be one', (words) => {
    expect(faultInWords(words, PROMPT, SHOWN)).toBeNull()
  })
})
