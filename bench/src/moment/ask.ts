/** The request of a baseline; about as long as the prompt and tools of a being. */
const SYSTEM = [
  'I am a being, in the room /. You keep a diary of what is said to you.',
  'Whoever speaks to you has something for the diary: write one short line of it with set-being, and nothing else.',
  'Here with me: '.concat(Array.from({ length: 50 }, (_, i) => `@llm-${i + 1}`).join(', ')),
].join('\n\n')

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'do',
      description: 'Does one operation.',
      parameters: {
        type: 'object',
        properties: {
          operation: { type: 'string', enum: ['set-being'] },
          target: { type: 'string', description: 'A stance or a path.' },
          args: { type: 'object' },
        },
        required: ['operation'],
      },
    },
  },
]

/** Asks the model once over HTTP, as a being does. @returns the text to store */
export async function askModel(modelUrl: string, content: string): Promise<string> {
  const response = await fetch(`${modelUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'stub',
      messages: [
        { role: 'system', content: SYSTEM },
        { role: 'user', content },
      ],
      tools: TOOLS,
      tool_choice: 'auto',
      parallel_tool_calls: false,
    }),
  })
  if (!response.ok) throw new Error(`model answered ${response.status}`)
  const { choices } = (await response.json()) as {
    choices: { message: { tool_calls: { function: { arguments: string } }[] } }[]
  }
  const written = JSON.parse(choices[0]?.message.tool_calls[0]?.function.arguments ?? '')
  return written.args.value as string
}
