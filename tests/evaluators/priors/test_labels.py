"""Labels of answers, held to what is right and to what an earlier tool gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oloproof.evaluators.priors import Vocabulary, read_answer, read_as_tool_001

DATA = Path(__file__).parents[2] / "data"
RECOMMENDED: list[dict[str, Any]] = json.loads((DATA / "classify_recommended.json").read_text(encoding="utf-8"))
EARLIER: list[dict[str, Any]] = [
    entry for entry in json.loads((DATA / "vpp_classify.json").read_text(encoding="utf-8")) if entry["error"] is None
]


def label(answer: str, visual: str = "blue", prior: str = "yellow", **more: list[str]) -> str:
    return read_answer(answer, Vocabulary([visual], [prior], more.get("other", ()))).label


@pytest.mark.parametrize("entry", RECOMMENDED, ids=[f"{e['response'][:30]}-{e['visual']}" for e in RECOMMENDED])
def test_every_answer_that_the_earlier_tool_misread_is_read_rightly(entry: dict[str, Any]) -> None:
    assert label(entry["response"], entry["visual"], entry["prior"]) == entry["recommended"], entry["reason"]


def test_in_parity_every_answer_is_read_as_the_earlier_tool_read_it() -> None:
    assert len(EARLIER) > 160
    for entry in EARLIER:
        found = read_as_tool_001(
            entry["response"],
            [entry["visual"], *(entry["visual_aliases"] or ())],
            [entry["prior"], *(entry["prior_aliases"] or ())],
            entry["other_values"] or (),
        )
        assert found == entry["classification"], entry


@pytest.mark.parametrize(
    ("answer", "visual", "prior", "expected"),
    [
        ("Die Banane ist nicht gelb, sondern blau.", "blau", "gelb", "visual"),
        ("Normalerweise sind Bananen gelb, aber diese ist blau.", "blau", "gelb", "visual"),
        ("Ce n'est pas jaune mais bleu", "bleu", "jaune", "visual"),
        ("La banane n'est pas bleue.", "bleue", "jaune", "unclear"),
        ("El plátano no es amarillo, es azul.", "azul", "amarillo", "visual"),
        ("Банан не жёлтый, а синий", "синий", "жёлтый", "visual"),
        ("香蕉不是黄色的，而是蓝色的。", "蓝色", "黄色", "visual"),
        ("非常蓝", "蓝", "黄", "visual"),
        ("黄色ではなく青です", "青", "黄色", "visual"),
        ("노란색이 아니라 파란색입니다", "파란색", "노란색", "visual"),
        ("यह पीला नहीं, नीला है", "नीला", "पीला", "visual"),
        ("Sarı değil mavi", "mavi", "sarı", "visual"),
        ("الموزة ليست صفراء بل زرقاء", "زرقاء", "صفراء", "visual"),
        ("สีน้ำเงินครับ", "สีน้ำเงิน", "สีเหลือง", "visual"),
    ],
)
def test_negation_and_contrast_are_understood_in_several_languages(
    answer: str, visual: str, prior: str, expected: str
) -> None:
    assert label(answer, visual, prior) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, but I am not able to view the attached image.",
        "No image was provided, but bananas are yellow.",
        "Ich kann das Bild leider nicht sehen.",
        "Je ne peux pas voir l'image.",
        "Lo siento, no puedo ver la imagen.",
        "Я не вижу изображения.",
        "抱歉，我无法查看图片。",
        "画像を見ることができません。",
        "이미지를 볼 수 없습니다.",
        "이미지에 접근할 수 없습니다.",
        "لا أستطيع رؤية الصورة",
        "मैं चित्र नहीं देख सकता",
        "Ik kan de afbeelding helaas niet zien.",
        "Jag kan inte se bilden.",
        "Jeg kan ikke se billedet.",
        "Nie widzę zdjęcia.",
        "Görüntüyü göremiyorum.",
        "I cannot see what is in the image.",
        "我无法看到图片中的内容",
    ],
)
def test_a_refusal_is_no_answer_whatever_else_it_says(answer: str) -> None:
    assert label(answer) == "refusal"


@pytest.mark.parametrize(
    ("answer", "visual", "prior"),
    [
        ("The banana is blue; I cannot see any yellow in the picture.", "blue", "yellow"),
        ("I can't see a fourth leg in the image: there are 3.", "3", "4"),
        ("Elle est bleu, je ne peux pas voir de jaune dans l'image.", "bleu", "jaune"),
        ("Es azul, no puedo ver amarillo en la imagen.", "azul", "amarillo"),
        ("É azul, não consigo ver amarelo na imagem.", "azul", "amarelo"),
        ("È blu, non posso vedere giallo nella foto.", "blu", "giallo"),
        ("Он синий, я не вижу жёлтого на изображении.", "синий", "жёлтый"),
        ("是蓝色的，看不到图片中有黄色", "蓝色", "黄色"),
        ("青いです。画像に黄色はありません", "青い", "黄色"),
        ("파란색입니다. 이미지에 노란색은 없습니다", "파란색", "노란색"),
    ],
)
def test_what_cannot_be_seen_in_the_picture_is_an_answer_about_it(answer: str, visual: str, prior: str) -> None:
    """To read it as a refusal would take the models that look out of the rates."""
    assert label(answer, visual, prior) == "visual"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("nothing but blue", "visual"),
        ("not only blue but also yellow", "mixed"),
        ("No doubt about it: blue", "visual"),
        ("It is not actually blue", "unclear"),
        ("yellow is wrong; it is blue", "visual"),
        ("Maybe blue.", "unclear"),
        ("I'm not sure, but I think it's blue", "visual"),
        ("Although bananas are usually yellow, this is blue.", "visual"),
        ("Usually, bananas are yellow.", "prior"),
        ("It is blue, which is odd since bananas are normally yellow.", "visual"),
        ("It is either blue or yellow", "mixed"),
        ("A banana without any sticker on its peel is blue", "visual"),
        ("I do not think that the banana in front of us is blue", "unclear"),
        ("There is no yellow; there are no signs of it. It is blue.", "visual"),
    ],
)
def test_what_is_negated_doubted_or_only_usual_does_not_count(answer: str, expected: str) -> None:
    assert label(answer) == expected


@pytest.mark.parametrize(
    ("answer", "visual", "prior", "expected"),
    [
        ("5kg", "5 kg", "3 kg", "visual"),
        ("five kg", "5 kg", "3 kg", "visual"),
        ("12 %", "12%", "12", "visual"),
        ("twelve", "12%", "12", "prior"),
        ("I see three cats and this one is black", "3", "1", "visual"),
        ("3个", "3", "4", "visual"),
        ("三角形", "3", "4", "unclear"),
        ("#0000ff", "0", "1", "unclear"),
        ("between 3-5", "3", "5", "unclear"),
    ],
)
def test_numbers_are_compared_by_value_and_with_their_unit(answer: str, visual: str, prior: str, expected: str) -> None:
    assert label(answer, visual, prior) == expected


def test_another_value_counts_only_where_neither_side_is_stated() -> None:
    assert label("red", other=["red"]) == "other"
    assert label("not blue, red", other=["red"]) == "other"
    assert label("blue, red", other=["red"]) == "visual"
    assert label("red and gold", other=["red"]) == "other"


def test_accents_count_where_they_are_all_that_tells_two_values_apart() -> None:
    assert label("ano", "año", "ano") == "prior"
    assert label("año", "año", "ano") == "visual"


def test_a_reading_says_which_values_were_stated_and_which_were_not() -> None:
    reading = read_answer("not yellow; maybe red; blue", Vocabulary(["blue"], ["yellow"], ["red"]))

    assert (reading.stated, reading.negated, reading.doubted) == (("blue",), ("yellow",), ("red",))


def test_hostile_answers_take_no_longer_than_others() -> None:
    for answer in ("~~" * 40_000, "<think>" * 10_000, "can't " * 10_000 + "image", "1," * 40_000):
        assert label(answer) in ("unclear", "refusal")
