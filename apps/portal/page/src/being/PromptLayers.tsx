import { Accordion, Badge, Stack, Text } from '@mantine/core'
import { Block } from '../parts/index.ts'

interface Layer {
  readonly title: string
  readonly origin: string
  readonly text: string
}

interface PromptLayersProps {
  readonly prompt: { readonly user: string; readonly identical: boolean; readonly older?: boolean } | null
  readonly layers: readonly Layer[]
}

/** What the model was sent, layer by layer, with where each comes from. */
export function PromptLayers({ prompt, layers }: PromptLayersProps) {
  if (prompt === null) return null
  const { identical, older, user } = prompt
  const all = [
    ...layers,
    { title: 'User message', origin: 'content of the wake, and how to answer', text: user },
  ]
  return (
    <Accordion variant="contained">
      <Accordion.Item value="prompt">
        <Accordion.Control>
          The prompt, in layers{' '}
          <Badge color={identical ? 'leaf' : 'orange'}>
            {identical ? 'as recorded' : older === true ? 'of an older form' : 'differs'}
          </Badge>
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            {all.map(({ title, origin, text }, i) => (
              <div key={i}>
                <Text size="sm" fw={600}>
                  {title}{' '}
                  <Text span size="xs" fw={400} className="quiet">
                    {origin}
                  </Text>
                </Text>
                <Block value={text} />
              </div>
            ))}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
