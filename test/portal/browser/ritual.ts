import type { Page } from 'playwright-core'

/** Does something by the panel, with one input for each argument. */
export async function doIn(tab: Page, operation: string, args: Record<string, string>): Promise<void> {
  const { origin } = new URL(tab.url())
  await tab.goto(`${origin}/do`)
  await tab.getByRole('combobox', { name: 'Operation' }).fill(operation)
  for (const [name, value] of Object.entries(args)) {
    await tab.keyboard.press('Tab') // closes the list of choices
    await tab
      .locator(
        `:is(input, textarea)[id="${await tab.locator('label', { hasText: new RegExp(`^${name}$`) }).getAttribute('for')}"]`,
      )
      .fill(value)
  }
  await tab.getByRole('button', { name: 'Do it' }).click()
  await tab.getByRole('status').getByText('Done').waitFor()
}

/** A field that is written in. A field with suggestions shares its label with their list. */
const field = (tab: Page, name: string) =>
  tab.getByLabel(name, { exact: true }).and(tab.locator('input, textarea'))

/** A role that announces at a bell, written by the pages alone. */
export async function writeRole(tab: Page): Promise<void> {
  await tab.getByRole('link', { name: 'Roles', exact: true }).click()
  await tab.getByRole('button', { name: 'New role' }).click()
  await field(tab, 'Name').fill('herald')
  await field(tab, 'Prompt').fill('The bell rings. Announce that school begins.')
  await field(tab, 'May speak to').fill('whoever asks')
  await tab.keyboard.press('Enter')
  await tab.getByRole('button', { name: 'Publish', exact: true }).click()
  await tab.getByRole('heading', { name: 'herald', exact: true }).waitFor()
}

/** A signal of a bell. */
export async function publishBell(tab: Page): Promise<void> {
  await tab.getByRole('link', { name: 'Signals', exact: true }).click()
  const publishing = tab.getByRole('region', { name: 'Publish a signal' })
  await field(tab, 'Namespace').fill('school')
  await tab.keyboard.press('Escape')
  await field(tab, 'Key').fill('bell')
  await field(tab, 'Value').fill('true')
  await publishing.getByRole('button', { name: 'Publish', exact: true }).click()
  await publishing.getByRole('status').waitFor()
}

/** A flow that wears the role once the bell rings. */
export async function setFlow(tab: Page): Promise<void> {
  const { origin } = new URL(tab.url())
  await tab.goto(`${origin}/beings/ann`)
  await tab.getByRole('link', { name: 'its flow' }).click()
  await tab.getByRole('button', { name: 'Add a sentence' }).click()
  await field(tab, 'Sentence 1: role').fill('herald')
  await tab.keyboard.press('Escape')
  await tab.getByRole('button', { name: 'Add a condition' }).click()
  await field(tab, 'Sentence 1, condition 1: field').fill('world.school.bell')
  await tab.keyboard.press('Escape')
  await field(tab, 'Sentence 1, condition 1: value').fill('true')
  await tab.getByRole('button', { name: 'Publish', exact: true }).click()
  await tab.getByText(/^Published, with 1 sentence/).waitFor()
}
