import { TextInput } from '@mantine/core'
import { type LinkOptions, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../language/index.ts'
import { SmallButton } from '../parts/index.ts'

/**
 * Copies the address of what is shown. Who opens it sees as much of it as they may. Over plain http from
 * another machine a browser gives no clipboard to a page: then the address is shown, to be copied by hand.
 * @param of what it leads to; the page as it is when left out
 */
export function Share({ of }: { readonly of?: LinkOptions }) {
  const router = useRouter()
  const [shown, show] = useState<string | null>(null)
  const [isCopied, setCopied] = useState(false)
  const share = async () => {
    const { href } = of === undefined ? router.latestLocation : router.buildLocation(of as never)
    const address = new URL(href, location.origin).href
    if (window.isSecureContext) {
      await navigator.clipboard.writeText(address).then(
        () => setCopied(true),
        () => show(address), // the person, or a policy, refused
      )
    } else show(address)
  }
  return (
    <>
      <SmallButton
        variant="subtle"
        className="on-screen"
        onClick={() => void share()}
        onBlur={() => setCopied(false)}
      >
        {isCopied ? t('Copied') : t('Copy the link')}
      </SmallButton>
      {shown === null ? null : (
        <TextInput
          aria-label={t('Its address')}
          readOnly
          value={shown}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </>
  )
}
