import { isScalar, parseAllDocuments, visit } from 'yaml';
import type { TextFault, YamlScalar, YamlText } from '../../../application/ports/compose/yaml-text.ts';
import { InvalidInput } from '../../../domain/base/errors.ts';

/** https://eemeli.org/yaml; aliases stay unresolved, so none is ever followed. */
export class EemeliYamlText implements YamlText {
  scalars(text: string, path: string): readonly YamlScalar[] {
    // Everything is read as text, as written: the meaning of a number or a tag is up to the programs that use the
    // file.
    const documents = parseAllDocuments(text, { version: '1.2', schema: 'failsafe', uniqueKeys: true });
    const [document] = documents;
    if (!document || documents.length !== 1) throw fault(path, 'It must be a single YAML document.');
    const [error] = document.errors;
    // The library goes on to show the lines; its first line says where.
    if (error) throw fault(path, `${firstLine(error)}.`);
    const found: YamlScalar[] = [];
    visit(document, {
      Scalar: (key, { range, source }) => {
        if (range) found.push({ text: source ?? '', start: range[0], end: range[1], isKey: key === 'key' });
      },
      Pair: (_, { key }) => {
        if (key !== null && !isScalar(key)) throw fault(path, 'The name of an entry is a list or a map.');
      },
    });
    return found;
  }

  faultOf(text: string): TextFault | null {
    for (const { errors } of parseAllDocuments(text, { version: '1.2', uniqueKeys: true })) {
      const [error] = errors;
      if (error)
        return { line: error.linePos?.[0].line ?? 1, message: firstLine(error).replace(/ at line.*$/, '') };
    }
    return null;
  }
}

const firstLine = ({ message }: Error): string => (message.split('\n')[0] ?? '').replace(/:$/, '');

const fault = (path: string, message: string): InvalidInput => new InvalidInput([{ path, message }]);
