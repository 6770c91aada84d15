"""Cuts the two weights of Inter that the charts use down to what they write.

    pip install fonttools==4.68.0 brotli==1.2.1
    npm pack @expo-google-fonts/inter@0.4.2 && tar xzf expo-google-fonts-inter-0.4.2.tgz
    python subset.py package

Writes Inter-Regular.ttf, Inter-SemiBold.ttf (drawn into pictures) and the same
as .woff2 (embedded in SVG) into the folder it is started in.
"""

import sys

from fontTools import subset
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables._k_e_r_n import KernTable_format_0

WEIGHTS = {"Regular": "400Regular/Inter_400Regular.ttf", "SemiBold": "600SemiBold/Inter_600SemiBold.ttf"}

LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x180)]
# Spaces, dashes, quotation marks, bullets, arrows, mathematics, triangles,
# the box that stands for what the font lacks, check marks.
SIGNS = [
    0x2007, 0x2009, 0x202F, 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2018, 0x2019, 0x201A,
    0x201C, 0x201D, 0x201E, 0x2020, 0x2022, 0x2026, 0x2030, 0x2032, 0x2033, 0x2039, 0x203A,
    0x20AC, 0x2190, 0x2191, 0x2192, 0x2193, 0x2212, 0x221E, 0x2248, 0x2260, 0x2264, 0x2265,
    0x25A1, 0x25B2, 0x25B3, 0x25B6, 0x25BC, 0x25BD, 0x25C0, 0x2713, 0x2717, 0x03BC,
]
DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def kerning(font):
    """The pairs of printable ASCII that the font moves, without digits, which
    must stay in columns: {(left, right): units}."""
    names = font.getBestCmap()
    glyphs = [names[code] for code in range(0x21, 0x7F) if not chr(code).isdigit()]
    positions = font["GPOS"].table
    lookups = next(
        record.Feature.LookupListIndex
        for record in positions.FeatureList.FeatureRecord
        if record.FeatureTag == "kern"
    )
    pairs = {}
    for index in lookups:
        tables = [getattr(t, "ExtSubTable", t) for t in positions.LookupList.Lookup[index].SubTable]
        for left in glyphs:
            for right in glyphs:
                moved = pair(tables, left, right)
                if moved:
                    pairs[left, right] = pairs.get((left, right), 0) + moved
    return {key: value for key, value in pairs.items() if value}


def pair(tables, left, right):
    """What the first subtable that knows the pair says."""
    for table in tables:
        if left not in table.Coverage.glyphs:
            continue
        if table.Format == 1:
            found = table.PairSet[table.Coverage.glyphs.index(left)].PairValueRecord
            value = next((r.Value1 for r in found if r.SecondGlyph == right), None)
            if value is None:
                continue
        else:
            first = table.ClassDef1.classDefs.get(left, 0)
            second = table.ClassDef2.classDefs.get(right, 0)
            value = table.Class1Record[first].Class2Record[second].Value1
        return getattr(value, "XAdvance", 0) if value else 0
    return 0


def cut(source, weight):
    font = TTFont(source)
    pairs = kerning(font)
    # Digits of one width under the plain digits' codes, so that columns line up
    # in every program, whether or not it knows the feature for them.
    for table in font["cmap"].tables:
        for code, name in list(table.cmap.items()):
            if name in DIGITS and 0x30 <= code <= 0x39:
                table.cmap[code] = f"{name}.tf"
    options = subset.Options()
    options.layout_features = []
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 5, 13, 14]
    options.drop_tables += ["GPOS", "GSUB", "GDEF", "STAT", "gasp", "DSIG"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=LATIN + SIGNS)
    cutter.subset(font)
    # The kerning as a plain table: the rasteriser reads no other kind, and a
    # browser that finds no other kind sets the text in the same widths.
    kept = set(font.getGlyphOrder())
    kern = newTable("kern")
    kern.version = 0
    table = KernTable_format_0(apple=False)
    table.coverage = 1
    table.kernTable = {key: v for key, v in pairs.items() if kept.issuperset(key)}
    kern.kernTables = [table]
    font["kern"] = kern
    # Dates of the making would make every cut a different file.
    font["head"].modified = font["head"].created
    font.recalcTimestamp = False
    font.save(f"Inter-{weight}.ttf")
    font.flavor = "woff2"
    font.save(f"Inter-{weight}.woff2")


if __name__ == "__main__":
    for weight, path in WEIGHTS.items():
        cut(f"{sys.argv[1]}/{path}", weight)
