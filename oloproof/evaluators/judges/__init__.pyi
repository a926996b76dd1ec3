from .keeping import Keeping as Keeping, NothingJudged as NothingJudged
from .rubric import RubricJudge as RubricJudge
from .sight import Sight as Sight, SightTest as SightTest
