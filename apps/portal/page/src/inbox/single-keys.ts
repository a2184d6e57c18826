import { useLocalStorage } from '@mantine/hooks'

/** Whether keys without Ctrl do something. Who speaks to the machine, or shakes, turns them off. */
export const useSingleKeys = () =>
  useLocalStorage({ key: 'treeos-single-keys', defaultValue: true, getInitialValueInEffect: false })

/** A dialog is open, over what the keys would act on. */
export const isInDialog = (page: Pick<Document, 'querySelector'>): boolean =>
  page.querySelector('[role=dialog], [role=alertdialog]') !== null

/** Inputs that take no letters. */
const PRESSED = ['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'color', 'file']

/** Whether a key that is pressed there is a letter. @param at what has the focus */
export function takesText(at: EventTarget | null): boolean {
  const { tagName, type } = (at ?? {}) as { readonly tagName?: string; readonly type?: string }
  return (
    tagName === 'TEXTAREA' || tagName === 'SELECT' || (tagName === 'INPUT' && !PRESSED.includes(type ?? ''))
  )
}
