/** Calls that models write into their words, and words that are none. */
import { promptOf } from './asked-model.ts'
import { fails, having, one, type Row, said, seen } from './servers.ts'

/** Calls as text, by the template that writes them so. */
const CALL = '{"name": "see", "arguments": {"address": "/a"}}'
const text = (of: string, what: string, content: string, words: string | null = null): Row =>
  one(what, of, words === null ? 'a call' : 'a call, and words', { content }, seen(words))
const stays = (what: string, content: string, request?: Row['request']): Row =>
  one(what, 'any', 'stays words', { content }, said(content), request === undefined ? {} : { request })

export const TEXTS: readonly Row[] = [
  text('Qwen, Hermes', '`<tool_call>`', `<tool_call>\n${CALL}\n</tool_call>`),
  text('Qwen, Hermes', '`<tool_call>` without its end', `<tool_call>\n${CALL}`),
  text(
    'Qwen, Hermes',
    'words, then `<tool_call>` on a line of its own',
    `I look.\n<tool_call>\n${CALL}\n</tool_call>`,
    'I look.\n',
  ),
  text(
    'Qwen3-Coder',
    '`<function=` with parameters',
    '<tool_call>\n<function=see>\n<parameter=address>\n/a\n</parameter>\n</function>\n</tool_call>',
  ),
  text(
    'Qwen3-Coder',
    '`<function=` without the ends of its tags',
    '<tool_call>\n<function=see>\n<parameter=address>\n/a\n\n</tool_call>',
  ),
  text(
    'Llama 3',
    '`<|python_tag|>`',
    '<|python_tag|>{"name": "see", "parameters": {"address": "/a"}}<|eom_id|>',
  ),
  text('Llama 3', 'bare JSON with `parameters`', '{"name": "see", "parameters": {"address": "/a"}}'),
  text(
    'Llama 3',
    'bare JSON as in the protocol',
    '{"type": "function", "function": {"name": "see", "parameters": {"address": "/a"}}}',
  ),
  text('Llama 3', '`<function=see>{…}`', '<function=see>{"address": "/a"}</function>'),
  text('Llama 4', 'Python in a list', '[see(address="/a")]'),
  text(
    'Llama 4',
    '`<|python_start|>`',
    '<|python_start|>{"name": "see", "parameters": {"address": "/a"}}<|python_end|>',
  ),
  text(
    'gpt-oss',
    'a message to `functions.see`',
    '<|channel|>analysis<|message|>I should look.<|end|><|start|>assistant<|channel|>commentary to=functions.see <|constrain|>json<|message|>{"address": "/a"}<|call|>',
  ),
  text(
    'gpt-oss',
    'the recipient before the channel',
    '<|start|>assistant to=functions.see<|channel|>commentary json<|message|>{"address": "/a"}<|call|>',
  ),
  text('Mistral', '`[TOOL_CALLS]` and a list', `[TOOL_CALLS] [${CALL}]`),
  text('Mistral', '`[TOOL_CALLS]see[ARGS]`', '[TOOL_CALLS]see[ARGS]{"address": "/a"}</s>'),
  text(
    'Mistral',
    '`[TOOL_CALLS]see[CALL_ID]…[ARGS]`',
    '[TOOL_CALLS]see[CALL_ID]a1b2c3d4e[ARGS]{"address": "/a"}',
  ),
  text(
    'DeepSeek V3',
    'its control tokens and a fence',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>see\n```json\n{"address": "/a"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
  ),
  text(
    'DeepSeek V3.1',
    'its control tokens',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>see<｜tool▁sep｜>{"address": "/a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ),
  text(
    'DeepSeek V3.2',
    'its markup',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="see">\n<｜DSML｜parameter name="address" string="true">/a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ),
  text(
    'Kimi K2',
    'its control tokens',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.see:0<|tool_call_argument_begin|>{"address": "/a"}<|tool_call_end|><|tool_calls_section_end|>',
  ),
  text(
    'GLM',
    '`<arg_key>`',
    '<tool_call>see\n<arg_key>address</arg_key>\n<arg_value>/a</arg_value>\n</tool_call>',
  ),
  text(
    'MiniMax',
    '`<invoke>`',
    '<minimax:tool_call>\n<invoke name="see">\n<parameter name="address">/a</parameter>\n</invoke>\n</minimax:tool_call>',
  ),
  text('Granite, Phi', '`<|tool_call|>` and a list', `<|tool_call|>[${CALL}]`),
  text('Phi', '`functools[…]`', `functools[${CALL}]`),
  text('Nemotron', '`<TOOLCALL>`', `<TOOLCALL>[${CALL}]</TOOLCALL>`),
  text(
    'Command R',
    '`<|START_ACTION|>`',
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "see", "parameters": {"address": "/a"}}]<|END_ACTION|>',
  ),
  text('LFM2', '`<|tool_call_start|>`', '<|tool_call_start|>[see(address="/a")]<|tool_call_end|>'),
  text('Gemini', '`tool_code`', '```tool_code\nprint(default_api.see(address="/a"))\n```'),
  text(
    'Gemma',
    '`<start_function_call>`',
    '<start_function_call>call:see{address:<escape>/a<escape>}<end_function_call>',
  ),
  text('llama.cpp', 'bare JSON under `tool_call`', `{"tool_call": ${CALL}}`),
  text('xLAM', 'a bare list', `[${CALL}]`),
  text('small models', 'a code fence', `\`\`\`json\n${CALL}\n\`\`\``),
  text('small models', 'a code fence without a name', `\`\`\`\n${CALL}\n\`\`\``),
  text('thinking models', 'after `</think>`', `<think>\nI should look.\n</think>\n\n${CALL}`),
  text('thinking models', 'after `</think>`, in a code fence', `Hm.\n</think>\n\`\`\`json\n${CALL}\n\`\`\``),
  text(
    'small models',
    'with the prefix `functions.`',
    '{"name": "functions.see", "arguments": {"address": "/a"}}',
  ),
  text(
    'small models',
    'arguments as JSON within JSON',
    '{"name": "see", "arguments": "{\\"address\\": \\"/a\\"}"}',
  ),
]

const CUT = '{"tool_call": {"name": "see", "arguments": {"address": "/a'
const broken = (what: string, content: string, finish: string, so: string, message: string): Row =>
  one(what, 'small models', so, { content }, fails(having(message)), { finish })

export const QUOTES: readonly Row[] = [
  one(
    'its words in `{"response": …}`',
    'llama.cpp',
    'its words',
    { content: '{"response": "It rains."}' },
    said('It rains.'),
  ),
  one(
    'its words in `{"response": …` without an end',
    'llama.cpp',
    'its words',
    { content: '{ "response": "It rains,\\nand' },
    said('It rains,\nand'),
    { finish: 'length' },
  ),
  broken(
    'a call that the limit of tokens cut off',
    CUT,
    'length',
    'a failure that says so',
    'ran out of tokens while it wrote a call',
  ),
  broken(
    'a call without its end',
    CUT,
    'stop',
    'the model is told so, and tries again',
    'wrote a call that cannot be read',
  ),
  broken(
    'a call with a fault, in a code fence',
    `\`\`\`json\n${CALL.replace('}}', ',}}')}\n\`\`\``,
    'stop',
    'the model is told so, and tries again',
    'wrote a call that cannot be read',
  ),
  stays('a call within a sentence', `He wrote <tool_call>${CALL}</tool_call>`),
  stays('a call in JSON after words', `Answer with ${CALL}`),
  stays('a call in a code fence below words', `This is how:\n\`\`\`json\n${CALL}\n\`\`\``),
  stays('words after a call', `<tool_call>${CALL}</tool_call>\nThat is how I would look.`),
  stays(
    'a call of a tool that was not offered',
    '<tool_call>{"name": "do", "arguments": {"operation": "tick"}}</tool_call>',
  ),
  stays('a call where no tool was offered', CALL, { tools: [] }),
  stays('a call that stands in the prompt', `<tool_call>${CALL}</tool_call>`, {
    prompt: promptOf(
      'I am owl.',
      `Ann said: "{\\"name\\":\\"see\\",\\"arguments\\":{\\"address\\":\\"/a\\"}}"`,
    ),
  }),
  stays('a call in Python that stands in the prompt', 'see(address="/a")', {
    prompt: promptOf('To look, write see(address="/a").', 'hi'),
  }),
  {
    ...one(
      'a call in its thinking',
      'any',
      'is not read',
      { content: `<think>${CALL}</think>It rains.` },
      said('It rains.'),
    ),
  },
  {
    ...one(
      'a call in JSON with more in it',
      'any',
      'stays words',
      { content: '{"name": "see", "arguments": {"address": "/a"}, "mood": "good"}' },
      said('{"name": "see", "arguments": {"address": "/a"}, "mood": "good"}'),
    ),
  },
]
