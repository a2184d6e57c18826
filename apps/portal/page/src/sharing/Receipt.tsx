import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { asking } from '../api/deed.ts'
import { sessionQuery } from '../api/queries.ts'
import { Trans, t } from '../language/index.ts'
import { Answer, Block, DialogButton, Inert, Quiet, SmallButton } from '../parts/index.ts'
import { download, fileNameOf } from './download.ts'
import { type Envelope, RECEIPT_CHECK, type ReceiptClaim, receiptClaim, receiptText } from './receipt-text.ts'

interface ReceiptProps {
  readonly name: string
  readonly n: number
}

/** It is signed anew each time, and may be proved by a later checkpoint. */
const receiptQuery = ({ name, n }: ReceiptProps) =>
  asking(
    ['receipt', name, n],
    api.beings[':name'].moments[':n'].receipt.$get,
    { param: { name, n: String(n) } },
    { staleTime: 0, gcTime: 0, retry: false },
  )

/** What proves to others what a moment did, for who may look into every past. */
export function ReceiptButton(of: ReceiptProps) {
  const { data: session } = useQuery(sessionQuery)
  if (session?.uses.all !== true || session.driver !== null) return null
  return (
    <DialogButton
      isSmall
      label={t('Receipt')}
      title={t('Receipt of moment {{n}} of @{{name}}', { n: of.n, name: of.name })}
    >
      <Receipt {...of} />
    </DialogButton>
  )
}

function Receipt({ name, n }: ReceiptProps) {
  const receipt = useQuery(receiptQuery({ name, n }))
  const file = fileNameOf('receipt', name, n)
  return (
    <Answer of={receipt}>
      {(found) => {
        const envelope = found as unknown as Envelope
        const text = receiptText(envelope)
        return (
          <Stack>
            <Group gap="xs" className="on-screen">
              <SmallButton
                onClick={() => download(`${file}.json`, 'application/json', `${JSON.stringify(envelope)}\n`)}
              >
                {t('Download the receipt')}
              </SmallButton>
              <SmallButton onClick={() => download(`${file}.md`, 'text/markdown', text)}>
                {t('As readable text')}
              </SmallButton>
              <SmallButton onClick={() => print()}>{t('Print')}</SmallButton>
            </Group>
            <Claim of={receiptClaim(envelope)} />
          </Stack>
        )
      }}
    </Answer>
  )
}

/** What it claims, as it is: only the file in Markdown needs signs against its own markup. */
const Claim = ({ of: { of, says, verdict, fields, decision } }: { readonly of: ReceiptClaim }) => (
  <Stack gap="xs">
    <Text fw={600}>
      <Trans text="Receipt of <moment/>" parts={{ moment: <Inert text={of} /> }} />
    </Text>
    <Text size="sm">
      {says} <Inert text={verdict} />
    </Text>
    <Stack gap={2}>
      {fields.map(([name, text]) => (
        <Text key={`${name} ${text}`} size="sm" component="div">
          <span className="quiet">{name}:</span> <Inert text={text} />
        </Text>
      ))}
    </Stack>
    <Quiet>{t('What was decided:')}</Quiet>
    <Block value={decision} />
    <Quiet>
      <Trans
        text="This text proves nothing. The file of the receipt does: <command/> checks it."
        parts={{ command: <span className="code">{RECEIPT_CHECK}</span> }}
      />
    </Quiet>
  </Stack>
)
