import { Button, Group, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ComponentType, type ReactNode, useState } from 'react'
import { Trouble } from './states.tsx'

interface FormProps<Values, Sent> {
  readonly form: UseFormReturnType<Values>
  readonly doing: {
    readonly isPending: boolean
    readonly error: Error | null
    mutate(sent: Sent): void
  }
  /** what is sent of the fields; an error that it throws is shown */
  readonly send: (values: Values) => Sent
  /** on its button */
  readonly submit: string
  /** further buttons */
  readonly trailing?: ReactNode
  /** shows why it was refused; the message alone when left out */
  readonly refused?: ComponentType<{ readonly error: Error | null }>
  /** nobody may send it now */
  readonly isOff?: boolean
  /** the button fills the width, and stands alone */
  readonly isWide?: boolean
  /** the fields and the buttons stand side by side */
  readonly isInRow?: boolean
  /** what came of it */
  readonly done?: ReactNode
  readonly children: ReactNode
}

/**
 * Fields one below the other, why it was refused or what came of it, and the button, once the fields are
 * valid.
 */
export function Form<Values, Sent>(props: FormProps<Values, Sent>) {
  const {
    form,
    doing,
    send,
    submit,
    trailing,
    done,
    isOff = false,
    refused: Refused = Trouble,
    isWide,
    isInRow,
    children,
  } = props
  const [fault, setFault] = useState<Error | null>(null)
  const onSubmit = form.onSubmit((values) => {
    if (doing.isPending || isOff) return // a key sends a form whose button is disabled
    setFault(null)
    try {
      doing.mutate(send(values))
    } catch (error) {
      setFault(error as Error)
    }
  })
  const button = (
    <Button type="submit" loading={doing.isPending} disabled={isOff || !form.isValid()}>
      {submit}
    </Button>
  )
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm">
        {isInRow ? (
          <Group align="flex-end" gap="sm">
            {children}
            {button}
            {trailing}
          </Group>
        ) : (
          children
        )}
        <Refused error={fault ?? doing.error} />
        {done}
        {isInRow ? null : isWide ? (
          button
        ) : (
          <Group>
            {button}
            {trailing}
          </Group>
        )}
      </Stack>
    </form>
  )
}
