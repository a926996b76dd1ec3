"""Words that turn what an answer says: negations, contrasts, what is usual, doubts, refusals; in several languages.

Each phrase is read by the same rules as an answer, so accents and case do not matter here. Languages: English, German,
French, Spanish, Portuguese, Italian, Dutch, Swedish, Danish, Polish, Turkish, Russian, Arabic, Hindi, Chinese, Japanese
and Korean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

import regex  # type: ignore[import-untyped]

from oloproof.evaluators.priors.tokens import Token, cleaned, folded, tokens_of

Role = Literal["idiom", "not", "not_near", "not_before", "but", "this", "usual", "doubt"]

_PHRASES: Mapping[Role, str] = {
    # Looks like a negation and is none.
    "idiom": "no doubt|without doubt|without a doubt|no question|not only|not just|not merely|nothing but|why not|"
    "nicht nur|non seulement|no solo|nao so|не только|不仅|不但",
    # Negates what follows, up to the next pause or contrast.
    "not": "not|never|neither|nor|cannot|can't|isn't|aren't|wasn't|weren't|doesn't|don't|didn't|won't|wouldn't|isnt|"
    "arent|wasnt|dont|doesnt|ain't|fails to be|nicht|nie|niemals|weder|pas|jamais|ni|nunca|nao|nem|niet|inte|ikke|non|"
    "nie jest|не|нет|ни|ليس|ليست|لا|لم|不是|并非|并不|不为|不像|没有|看不到|看不见|而非|而不是",
    # Negates the word that follows, or one close behind it.
    "not_near": "no|no longer|without|rather than|instead of|other than|as opposed to|anything but|all but|"
    "far from|except|lacks|lacking|absence of|hardly|kein|keine|keinen|keinem|keiner|ohne|statt|anstatt|sans|aucun|"
    "aucune|au lieu de|plutot que|sin|ningun|ninguna|en lugar de|en vez de|sem|em vez de|senza|invece di|geen|ingen|"
    "inget|без|вместо|غير|بدون",
    # Negates what stands before it.
    "not_before": "is wrong|was wrong|is incorrect|is not correct|isn't correct|is not right|isn't right|is not the|"
    "isn't the|नहीं|नही|degil|değil|"
    "ではな|じゃな|ではあり|はありません|じゃあり|でない|くな|でなく|아니|아닙|아닌|않|없",
    # A contrast: a negation, a doubt and what is usual end here.
    "but": "but|however|though|although|sondern|aber|jedoch|mais|sino|pero|mas|ma|bensi|maar|utan|lecz|ale|ama|"
    "а|но|لكن|بل|लेकिन|बल्कि|而是|但是|但|不过|でも|しかし|하지만|그러나",
    # Points at this picture: what is usual ends here.
    "this": "actually|in fact|this one|this is|here|in this image|in this picture|in this photo|in the image|"
    "in the picture|in the photo|the image shows|the picture shows|shown|hier|tatsachlich|dieser|diese|dieses|"
    "ici|en fait|cette|celle-ci|aqui|esta|este|questa|questo|burada|здесь|этот|эта|هنا|هذه|यहाँ|यह|"
    "这张|这个|图中|图片中|この|이것은|여기",
    # Says what such things are like in general, not what this picture shows.
    "usual": "usually|normally|typically|generally|commonly|ordinarily|often|mostly|in general|as a rule|traditionally|"
    "expect|expected|expecting|would expect|supposed to be|should be|would be|thought|assumed|assume|tend to|tends to|"
    "normalerweise|ublicherweise|gewohnlich|meistens|meist|typischerweise|eigentlich|erwartet|"
    "habituellement|normalement|generalement|d'habitude|souvent|normalmente|usualmente|generalmente|suele|suelen|"
    "geralmente|solitamente|di solito|meestal|normaal|vanligtvis|zwykle|genellikle|обычно|как правило|"
    "عادة|आमतौर|通常|一般|平时|普通|ふつう|普段|보통|일반적",
    # Says that it is not known.
    "doubt": "could be|might be|may be|maybe|perhaps|possibly|can't tell|cannot tell|can not tell|can't say|"
    "cannot say|not sure|unsure|not certain|uncertain|don't know|do not know|hard to tell|hard to say|"
    "can't determine|cannot determine|unable to determine|impossible to tell|impossible to say|if it is|whether|"
    "vielleicht|konnte|moglicherweise|weiss nicht|nicht sicher|peut-etre|pourrait|je ne sais pas|"
    "quizas|quiza|tal vez|podria|no se si|no estoy seguro|talvez|poderia|forse|potrebbe|misschien|kanske|moze|"
    "может быть|возможно|не знаю|ربما|शायद|可能|也许|或许|不确定|かもしれ|わかりません|분からない|아마|모르",
}

_REFUSALS = regex.compile(
    r"(?:can't|cannot|can not|unable to|not able to|won't be able to|(?:don't|do not) have the ability to)"
    r"\b[^.!?]{0,40}?\b(?:see|view|access|open|process|analy[sz]e|display|look at|interpret|inspect|examine)\b"
    r"(?: what(?:'s| is)?(?: \w+)? [io]n\b)?(?:(?!\b(?:in|on|within|from|that)\b)[^.!?]){0,30}?"
    r"\b(?:images?|pictures?|photos?|attachments?|files?|visual)"
    r"|\bno (?:image|picture|photo|attachment)\b[^.!?]{0,20}\b(?:provided|attached|included|uploaded|given|shared)"
    r"|\b(?:image|picture|photo)\b[^.!?]{0,20}\b(?:wasn't|isn't|weren't|hasn't been|was not|is not|has not been)\s+"
    r"(?:provided|attached|included|uploaded|given|shared|visible|available|loaded)"
    r"|\bi(?:'m| am) (?:only )?an? (?:text|language)[- ](?:based|only|model)"
    r"|\bi (?:don't|do not) see (?:an?|any|the) (?:image|picture|photo)"
    r"|\bi (?:can't|cannot|can not) (?:help|assist|comply) with"
    r"|\bkann\b[^.!?]{0,40}(?<!\b(?:im|(?:auf|in) (?:dem|diesem)) )\b(?:bild|bilder|foto|fotos)\b[^.!?]{0,25}\bnicht\b"
    r"|\bkann\b[^.!?]{0,20}\bkeine?\b (?:bild|bilder|foto|fotos)\b"
    r"|\bne (?:peux|puis) pas\b[^.!?]{0,30}\b(?:voir|afficher|analyser|acceder)\b"
    r"(?:(?!\b(?:dans|sur)\b)[^.!?]){0,30}\b(?:image|photo)"
    r"|\bno puedo (?:ver|abrir|acceder|analizar|procesar)\b(?:(?!\ben\b)[^.!?]){0,30}\b(?:imagen|foto)"
    r"|\bnao (?:consigo|posso) (?:ver|abrir|acessar|analisar)\b(?:(?!\b(?:em|n[ao]s?)\b)[^.!?]){0,30}\b(?:image|foto)"
    r"|\bnon posso (?:vedere|aprire|analizzare)\b(?:(?!\b(?:in|nell[ae]?|sull[ae]?)\b)[^.!?]){0,30}\b(?:immagin|foto)"
    r"|\bkan\b[^.!?]{0,15}\bgeen (?:afbeelding|foto|plaatje|beeld)"
    r"|\bkan (?:de|het|deze|dit|je|uw) (?:afbeelding(?:en)?|foto(?:'s)?|plaatjes?)\b[^.!?]{0,20}\bniet\b"
    r"|\bkan\b[^.!?]{0,12}\b(?:inte|ikke) (?:se|visa|vise|oppna|abne|analyser[ae])\b"
    r"(?:(?!\b(?:i|pa)\b)[^.!?]){0,20}\b(?:bild|billed|foto)"
    r"|\bnie (?:moge|widze|jestem w stanie)\b(?:(?!\b(?:na|w)\b)[^.!?]){0,25}\b(?:obraz|zdjec)"
    r"|\b(?:resim|resm|goruntu|fotograf|gorsel)\w*+(?<![dt][ea])[^.!?]{0,12}\b(?:gore|aca|inceleye|erise)miyorum"
    r"|\bне (?:могу|вижу)\b(?:(?!\b(?:на|в)\b)[^.!?]){0,30}(?:изображени|картинк|фото)"
    r"|(?:\bلا (?:استطيع|يمكنني|اقدر)|\bغير قادرة? على)\b[^.!?؟]{0,10}\b(?:ارى|روية|مشاهدة|عرض|فتح|تحليل)"
    r"(?:(?!\bفي\b)[^.!?؟]){0,15}\b(?:ال)?صورة?|\bلا ارى (?:اي |هذه )?(?:ال)?صورة?"
    r"|(?:चित्र|छवि|तस्वीर|फ़ोटो|फोटो|इमेज)(?!\S*\s+में)[^.!?।]{0,12}नहीं (?:देख|खोल)"
    r"|(?:无法|不能|看不到|没有办法)[^。！？]{0,8}(?:图像|图片|照片)(?![中里上内](?!的?内容))"
    r"|(?:画像|写真)(?!に(?!アクセス)|の中|内|で)[^。！？]{0,14}(?:できません|見えません|ありません|られません)"
    r"|(?:이미지|사진)(?!에(?!\s*접근)|\s*속)[^.!?]{0,14}(?:없습니다|못합니다|없어요)"
)
"""That a thing cannot be seen *in* the picture is an answer about the picture, and no refusal."""


def refuses(text: str) -> bool:
    """Return whether an answer says that its writer cannot see or will not say, instead of answering."""
    return _REFUSALS.search(folded(text).replace("’", "'")) is not None


def phrase_at(tokens: Sequence[Token], place: int) -> tuple[Role, int] | None:
    """Return the role of the longest phrase that begins at a token, and how many tokens it has."""
    first = tokens[place].text
    for words, role in _table().get(_entry_of(first), ()):
        if _matches(tokens, place, words):
            return role, len(words)
    return None


def _matches(tokens: Sequence[Token], place: int, words: tuple[str, ...]) -> bool:
    if len(words) == 1:
        return tokens[place].text == words[0] or (_is_hangul(words[0]) and tokens[place].text.startswith(words[0]))
    found = tokens[place : place + len(words)]
    if len(found) < len(words) or any(token.pause for token in found[1:]):
        return False
    return all(token.text == word for token, word in zip(found, words, strict=True))


def _entry_of(word: str) -> str:
    """Return what a phrase is found by: its first word, of a Korean one the first sign, since particles follow."""
    return word[:1] if _is_hangul(word) else word


def _is_hangul(word: str) -> bool:
    return "가" <= word[:1] <= "힣"


@cache
def _table() -> dict[str, list[tuple[tuple[str, ...], Role]]]:
    """Return the phrases by what they are found by, the longest first."""
    table: dict[str, list[tuple[tuple[str, ...], Role]]] = {}
    for role, phrases in _PHRASES.items():
        for phrase in phrases.split("|"):
            words = tuple(token.text for token in tokens_of(cleaned(phrase)))
            table.setdefault(_entry_of(words[0]), []).append((words, role))
    for entries in table.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return table
