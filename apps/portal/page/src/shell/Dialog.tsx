import { Modal, type ModalProps } from '@mantine/core'

/** A dialog over the page. Its head is not a landmark, and its button says what it does. */
export const Dialog = (props: ModalProps) => (
  <Modal
    size="lg"
    closeButtonProps={{ 'aria-label': 'Close' }}
    attributes={{ header: { role: 'none' } }}
    {...props}
  />
)
