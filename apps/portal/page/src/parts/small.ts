import { Button, Text } from '@mantine/core'

/** What is said beside the matter: small, and of a paler colour. */
export const Quiet = Text.withProps({ size: 'sm', className: 'quiet' })

/** A button of one thing among others, beside what it belongs to. */
export const SmallButton = Button.withProps({ size: 'xs', variant: 'default' })
