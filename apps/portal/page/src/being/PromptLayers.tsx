import { Accordion, Badge, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { momentQuery } from '../api/queries.ts'
import { Trans, t } from '../language/index.ts'
import { Answer, Block, Quiet, SmallButton } from '../parts/index.ts'
import { Difference } from '../words/Difference.tsx'

interface Layer {
  readonly title: string
  readonly origin: string
  readonly text: string
}

interface PromptLayersProps {
  /** the moment */
  readonly name: string
  readonly n: number
  readonly prompt: { readonly user: string; readonly identical: boolean; readonly older?: boolean } | null
  readonly layers: readonly Layer[]
}

/** What the model was sent, layer by layer, with where each comes from. */
export function PromptLayers({ name, n, prompt, layers }: PromptLayersProps) {
  if (prompt === null) return null
  const { identical, older } = prompt
  const all = layersIn({ prompt, layers })
  return (
    <Accordion variant="contained">
      <Accordion.Item value="prompt">
        <Accordion.Control>
          <Trans
            text="The prompt, in layers <badge/>"
            parts={{
              badge: (
                <Badge color={identical ? 'leaf' : 'orange'}>
                  {identical ? t('as recorded') : older === true ? t('of an older form') : t('differs')}
                </Badge>
              ),
            }}
          />
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            {n === 1 ? null : <SinceLast key={`${name} ${n}`} name={name} n={n - 1} now={textIn(all)} />}
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

const layersIn = ({ prompt, layers }: Pick<PromptLayersProps, 'prompt' | 'layers'>): readonly Layer[] =>
  prompt === null
    ? []
    : [
        ...layers,
        { title: t('User message'), origin: t('content of the wake, and how to answer'), text: prompt.user },
      ]

const textIn = (layers: readonly Layer[]): string =>
  layers.map(({ title, text }) => `${title}\n${text}`).join('\n\n')

interface SinceLastProps {
  /** the moment before */
  readonly name: string
  readonly n: number
  readonly now: string
}

/** What its model was sent otherwise than in the moment before. */
function SinceLast({ name, n, now }: SinceLastProps) {
  const [isAsked, { open }] = useDisclosure()
  const last = useQuery({ ...momentQuery(name, n), enabled: isAsked })
  if (!isAsked)
    return (
      <div>
        <SmallButton onClick={open}>{t('What changed since moment {{n}}', { n })}</SmallButton>
      </div>
    )
  return (
    <Answer of={last}>
      {({ prompt, layers }) =>
        prompt === null ? (
          <Quiet>{t('Moment {{n}} asked no model.', { n })}</Quiet>
        ) : (
          <Difference
            title={t('Since moment {{n}}', { n })}
            before={textIn(layersIn({ prompt, layers }))}
            after={now}
          />
        )
      }
    </Answer>
  )
}
