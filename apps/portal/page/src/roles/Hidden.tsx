import { Alert } from '@mantine/core'
import { t } from '../language/index.ts'
import { pieces } from '../text/unseen-text.ts'

/** A field of text shows no invisible characters, so they are told of beside it. */
export function Hidden({ text }: { readonly text: string }) {
  const found = pieces(text).filter(({ isUnseen }) => isUnseen)
  if (found.length === 0) return null
  const codes = [...new Set(found.map(({ text }) => text))]
  return (
    <Alert color="orange" p="xs" role="status">
      {t('{{count}} invisible characters: {{codes}}', { count: found.length, codes: codes.join(', ') })}
    </Alert>
  )
}
