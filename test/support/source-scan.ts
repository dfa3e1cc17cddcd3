/** The reading of TypeScript text without a compiler: what is code, what is text, what is imported. */

/** A string literal and where it stands; `end` is the offset just after its closing quote. */
interface Literal {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** `type` leaves no trace at run time, `dynamic` loads on demand, `static` loads at once. */
  readonly kind: "static" | "type" | "dynamic";
  /** `import "…"`: only for what the file does on load. */
  readonly isBare: boolean;
}

export interface Scan {
  /** The text with comments, and the insides of strings and patterns, turned to blanks: same offsets, same lines. */
  readonly code: string;
  /** `code` with all that stands in brackets turned to blanks too. */
  readonly outline: string;
  readonly imports: readonly Import[];
}

/** Counts lines from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

export function scanSource(text: string): Scan {
  const { code, literals } = separate(text);
  return { code, outline: blankBrackets(code), imports: findImports(code, literals) };
}

/** After these a slash begins a pattern; after anything else it divides. */
const beforePattern =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|await|yield))$/;

function separate(text: string): { code: string; literals: Literal[] } {
  const literals: Literal[] = [];
  let code = "";

  function blank(to: number) {
    code += text.slice(code.length, to).replace(/[^\n]/g, " ");
  }
  function keep(to: number) {
    code += text.slice(code.length, to);
  }
  function skip(pattern: RegExp): number {
    pattern.lastIndex = code.length;
    const match = pattern.exec(text);
    return match ? pattern.lastIndex : text.length;
  }

  function readString(end: number) {
    const start = code.length;
    literals.push({ start, end, value: text.slice(start + 1, end - 1) });
    keep(start + 1);
    blank(end - 1);
    keep(end);
  }

  function readTemplate() {
    keep(code.length + 1);
    while (code.length < text.length) {
      blank(skip(/(?:[^\\`$]|\\[\s\S]|\$(?!\{))*/y));
      if (text[code.length] === "`") return keep(code.length + 1);
      keep(code.length + 2);
      readCode("}");
    }
  }

  function readCode(closing?: string) {
    let depth = 0;
    while (code.length < text.length) {
      const here = code.length;
      const character = text[here];
      const isClosing = character === closing && depth === 0;
      if (character === "{") depth += 1;
      if (character === "}") depth -= 1;
      if (text.startsWith("//", here)) blank(skip(/[^\n]*/y));
      else if (text.startsWith("/*", here)) blank(skip(/\/\*[\s\S]*?\*\//y));
      else if (character === '"') readString(skip(/"(?:[^"\\\n]|\\[\s\S])*"/y));
      else if (character === "'") readString(skip(/'(?:[^'\\\n]|\\[\s\S])*'/y));
      else if (character === "`") readTemplate();
      else if (character === "/" && beforePattern.test(code.trimEnd().slice(-20))) {
        blank(skip(/\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y));
      } else keep(here + 1);
      if (isClosing) return;
    }
  }

  readCode();
  return { code, literals };
}

function blankBrackets(code: string): string {
  let depth = 0;
  return code.replace(/[^\n]/g, (character) => {
    if ("([{".includes(character)) {
      depth += 1;
      return depth === 1 ? character : " ";
    }
    if (")]}".includes(character)) {
      depth -= 1;
      return depth === 0 ? character : " ";
    }
    return depth === 0 ? character : " ";
  });
}

function findImports(code: string, literals: readonly Literal[]): Import[] {
  const imports = literals.map(({ start, value }): Import | undefined => {
    const before = code.slice(0, start);
    const kind = kindOfImport(before);
    const isBare = /\bimport\s*$/.test(before);
    return kind && { specifier: value, line: lineAt(code, start), kind, isBare };
  });
  return imports.filter((found) => found !== undefined);
}

/** What the text before a string makes of it; undefined for a string that is no import. */
function kindOfImport(before: string): Import["kind"] | undefined {
  if (/\bimport\s*\(\s*$/.test(before)) return "dynamic";
  if (/\brequire\s*\(\s*$|\bimport\s*$/.test(before)) return "static";
  const clause = /\b(?:import|export)\b(\s+type\b(?!\s+from\b))?[\w$\s{},*]*\bfrom\s*$/.exec(before);
  return clause ? (clause[1] === undefined ? "static" : "type") : undefined;
}
