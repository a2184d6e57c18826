import { Button, CopyButton } from '@mantine/core'

/** Copies a text. */
export const Copied = ({ text }: { readonly text: string }) => (
  <CopyButton value={text}>
    {({ copied, copy }) => (
      <Button size="xs" onClick={copy}>
        {copied ? 'Copied' : 'Copy it'}
      </Button>
    )}
  </CopyButton>
)
