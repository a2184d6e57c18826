import { Button, CopyButton } from '@mantine/core'
import { t } from '../language/index.ts'

/**
 * Copies a text. Over plain http from another machine a browser gives no clipboard to a page. Then there is
 * no button, and the text beside it can be selected.
 */
export const CopyText = ({ text }: { readonly text: string }) =>
  window.isSecureContext ? (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="xs" onClick={copy}>
          {copied ? t('Copied') : t('Copy it')}
        </Button>
      )}
    </CopyButton>
  ) : null
