import { Argument, type Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

export function completion(program: Command, act: Act): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'bash or zsh').choices(['bash', 'zsh']))
    .description('print the completion script of bash or zsh')
    .addHelpText(
      'after',
      examples(
        'completion bash > ~/.local/share/bash-completion/completions/games-lrs',
        'completion zsh > ~/.zfunc/_games-lrs',
      ),
    )
    .action(act(async () => (await import('../commands/completion.ts')).printCompletion))
}
