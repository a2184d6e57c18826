import { useLocalStorage } from '@mantine/hooks'

/** Whether keys without Ctrl do something. Who speaks to the machine, or shakes, turns them off. */
export const useSingleKeys = () =>
  useLocalStorage({ key: 'treeos-single-keys', defaultValue: true, getInitialValueInEffect: false })

/** A dialog is open, over what the keys would act on. */
export const isInDialog = (page: Pick<Document, 'querySelector'>): boolean =>
  page.querySelector('[role=dialog], [role=alertdialog]') !== null
