import { Button, Modal, type ModalProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'
import { SmallButton } from './small.ts'

/** A dialog over the page. Its head is not a landmark, and its button says what it does. */
export const Dialog = (props: ModalProps) => (
  <Modal
    size="lg"
    closeButtonProps={{ 'aria-label': t('Close') }}
    attributes={{ header: { role: 'none' } }}
    {...props}
  />
)

interface DialogProps {
  readonly label: string
  readonly title: string
  readonly isSmall?: boolean
  readonly children: ReactNode | ((close: () => void) => ReactNode)
}

/** A button that opens a dialog. */
export function DialogButton({ label, title, isSmall = false, children }: DialogProps) {
  const Opener = isSmall ? SmallButton : Button
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Opener onClick={open}>{label}</Opener>
      <Dialog opened={isOpen} onClose={close} title={title}>
        {typeof children === 'function' ? children(close) : children}
      </Dialog>
    </>
  )
}
